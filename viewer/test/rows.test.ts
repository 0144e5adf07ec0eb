import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonLines } from "../src/lib/json";
import { cut } from "../src/lib/marks";
import type { Turn } from "../src/lib/model";
import { offsetsOf } from "../src/lib/offsets";
import { blocksOf, type Gap, visibleRows } from "../src/lib/rows";
import type { Role } from "../src/lib/wire";

function turn(role: Role, text: string, calls: Turn["calls"] = []): Turn {
  return {
    index: 0,
    role,
    name: null,
    text,
    calls,
    answers: null,
    summary: false,
    offsets: offsetsOf(text),
  };
}

function visibleText(text: string, rows: { start: number; end: number }[]): string {
  return rows.map((row) => text.slice(row.start, row.end)).join("");
}

test("pretty-printed lines are ranges of the text and leave out only white space", () => {
  const text = JSON.stringify({
    id: "QX-1",
    empty: {},
    list: [1, 2, { deep: [true, null, "a}b\\"] }],
    long: "x".repeat(100),
  });
  for (const source of [text, JSON.stringify(JSON.parse(text), null, 2), `  ${text}\n`]) {
    const lines = jsonLines(source, 0, source.length);
    assert.ok(lines && lines.length > 4);
    assert.equal(visibleText(source, lines).replace(/\s/g, ""), source.replace(/\s/g, ""));
    for (const line of lines) assert.ok(line.key >= line.start && line.key <= line.end);
  }
});

test("what is not JSON is not pretty-printed", () => {
  for (const text of [
    "plain",
    "{",
    '{"a": }',
    "[1,]",
    '{"a":1} tail',
    "42",
    '"text"',
    "[".repeat(500),
  ]) {
    assert.equal(jsonLines(text, 0, text.length), null);
  }
});

test("rows hold all text of a turn, prose and calls alike", () => {
  const text = 'Let me look.\n\nlook_up({"id": "a\\"b", "n": [1, 2]})';
  const blocks = blocksOf(
    turn("assistant", text, [{ name: "look_up", start: 14, end: text.length }]),
  );
  assert.deepEqual(
    blocks.map((block) => block.kind),
    ["prose", "call"],
  );
  const rows = blocks.flatMap((block) => block.rows);
  assert.equal(visibleText(text, rows).replace(/\s/g, ""), 'Letmelook.{"id":"a\\"b","n":[1,2]}');
});

test("a megabyte on one line becomes rows that a browser can lay out", () => {
  const text = `${"word ".repeat(200_000)}${"x".repeat(50_000)}`;
  const [block] = blocksOf(turn("tool", text));
  assert.ok(block);
  assert.ok(block.rows.every((row) => row.end - row.start <= 2401));
  assert.equal(visibleText(text, block.rows), text);
});

test("a fold shows the head, what is marked with its neighbours, and gaps between", () => {
  const text = Array.from({ length: 60 }, (_, i) => `line ${i}`).join("\n");
  const [block] = blocksOf(turn("tool", text));
  assert.ok(block);
  const at = text.indexOf("line 40");
  const visible = visibleRows(block, new Set(), [{ start: at, end: at + 7 }]);
  const rows = visible.filter((item) => typeof item === "number");
  assert.deepEqual(rows, [0, 1, 2, 3, 4, 39, 40, 41]);
  const gaps = visible.filter((item): item is Gap => typeof item !== "number");
  assert.deepEqual(gaps, [
    { from: 5, to: 39 },
    { from: 42, to: 60 },
  ]);
  assert.equal(visibleRows(block, "all", []).length, 60);
});

test("a mark over everything does not open a fold", () => {
  const text = Array.from({ length: 60 }, (_, i) => `line ${i}`).join("\n");
  const [block] = blocksOf(turn("tool", text));
  assert.ok(block);
  assert.equal(visibleRows(block, new Set(), [{ start: 0, end: text.length }]).length, 6);
});

test("a row is cut where marks begin and end, and nowhere else", () => {
  const pieces = cut({ start: 10, end: 30 }, [
    { start: 5, end: 15, kind: "target" },
    { start: 12, end: 20, kind: "evidence" },
  ]);
  assert.deepEqual(
    pieces.map(({ start, end, kinds }) => [start, end, ...kinds]),
    [
      [10, 12, "target"],
      [12, 15, "target", "evidence"],
      [15, 20, "evidence"],
      [20, 30],
    ],
  );
});
