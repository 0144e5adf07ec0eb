/** Transcript text made safe to look at, character for character. */

// Controls, bidirectional overrides and isolates, invisible format characters, line separators.
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * The same number of UTF-16 units, with everything that could hide or reorder text made visible.
 * Equal length is what keeps offsets into the shown text right.
 */
export function shown(text: string): string {
  return text.replace(UNSEEN, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "␡" : "�";
  });
}

/** On one line, safe, and no longer than `limit`. */
export function excerpt(text: string, limit: number): string {
  const line = shown(text.slice(0, limit * 4))
    .replace(/\s+/g, " ")
    .trim();
  if (line.length <= limit && text.length <= limit * 4) return line;
  return `${line.slice(0, limit - 1).trimEnd()}…`;
}

export function quote(
  text: string,
  spans: { start: number; end: number }[],
  limit: number,
): string {
  return excerpt(spans.map((span) => text.slice(span.start, span.end)).join(" … "), limit);
}

/** A score with two digits that say something: attention scores are small. */
export function number(score: number): string {
  if (score === 0) return "0";
  if (score >= 0.095) return score.toFixed(2);
  return score >= 0.0001 ? score.toPrecision(2) : score.toExponential(1);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
