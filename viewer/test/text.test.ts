import assert from "node:assert/strict";
import { test } from "node:test";
import { offsetsOf } from "../src/lib/offsets";
import { excerpt, number, shown } from "../src/lib/text";

test("offsets agree with counting code points, at every place", () => {
  for (const text of ["plain", "a😀b", "😀".repeat(3000), "é𝒜".repeat(1500), ""]) {
    const offsets = offsetsOf(text);
    const points = [...text];
    let unit = 0;
    for (let n = 0; n <= points.length; n += 1) {
      assert.equal(offsets.toUnits(n), unit);
      assert.equal(offsets.toCodePoints(unit), n);
      unit += points[n]?.length ?? 0;
    }
  }
});

test("what is shown has the same length and no control or bidi character", () => {
  const hostile = "a\u0000\u001b[2J\u202etxt\u2066\u200b\ud800z\u2028😀\n\t";
  const safe = shown(hostile);
  assert.equal(safe.length, hostile.length);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point
  assert.doesNotMatch(safe, /[\u0000-\u0008\u001b\u202e\u2066\u200b\u2028]/);
  assert.ok(safe.includes("😀") && safe.endsWith("\n\t"));
});

test("an excerpt is one line and short", () => {
  assert.equal(excerpt("a long\n   story", 8), "a long…");
  assert.equal(excerpt("short", 8), "short");
});

test("small scores keep two digits", () => {
  assert.deepEqual([0, 0.5, 0.0123, 0.0000021].map(number), ["0", "0.50", "0.012", "2.1e-6"]);
});
