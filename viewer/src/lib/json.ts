/**
 * Where the lines of a JSON value would stand if it were pretty-printed.
 *
 * Nothing is rewritten: each line is a range of the text as it is, so that every character shown
 * keeps its offset.
 */

export interface JsonLine {
  start: number;
  end: number;
  indent: number;
  /** Where a leading `"key":` ends; equal to `start` where there is none. */
  key: number;
}

const INLINE = 76;
const DEEPEST = 60;

interface Value {
  start: number;
  end: number;
  /** Members of an object or a list; null for anything else. */
  members: Member[] | null;
}

interface Member {
  start: number;
  keyEnd: number;
  value: Value;
}

/** The lines of `text[start:end]`, or null where that is no JSON object or list. */
export function jsonLines(text: string, start: number, end: number): JsonLine[] | null {
  const value = new Parser(text, end).document(start);
  if (!value?.members) return null;
  const lines: JsonLine[] = [];
  print(value, value.start, value.start, 0, lines, text, value.end);
  return lines;
}

function print(
  value: Value,
  start: number,
  key: number,
  indent: number,
  lines: JsonLine[],
  text: string,
  end: number,
): void {
  const { members } = value;
  const short = value.end - start <= INLINE && !text.slice(start, value.end).includes("\n");
  const first = members?.[0];
  if (!first || (short && indent > 0)) {
    lines.push({ start, end, indent, key });
    return;
  }
  lines.push({ start, end: value.start + 1, indent, key });
  for (const member of members) {
    let stop = member.value.end;
    const comma = skipSpace(text, stop, value.end);
    if (text[comma] === ",") stop = comma + 1;
    print(member.value, member.start, member.keyEnd, indent + 1, lines, text, stop);
  }
  lines.push({ start: value.end - 1, end, indent, key: value.end - 1 });
}

function skipSpace(text: string, at: number, end: number): number {
  let here = at;
  while (here < end && " \t\n\r".includes(text[here] as string)) here += 1;
  return here;
}

const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|NaN|-?Infinity/y;
const STRING = /"(?:[^"\\]|\\.)*"/sy;

class Parser {
  constructor(
    private readonly text: string,
    private readonly end: number,
  ) {}

  document(start: number): Value | null {
    const at = skipSpace(this.text, start, this.end);
    const value = this.value(at, 0);
    return value && skipSpace(this.text, value.end, this.end) === this.end ? value : null;
  }

  private value(at: number, depth: number): Value | null {
    const opening = this.text[at];
    if (opening === "{" || opening === "[") {
      return depth < DEEPEST ? this.container(at, opening === "{", depth) : null;
    }
    const end = this.match(opening === '"' ? STRING : SCALAR, at);
    return end === null ? null : { start: at, end, members: null };
  }

  private container(start: number, isObject: boolean, depth: number): Value | null {
    const closing = isObject ? "}" : "]";
    const members: Member[] = [];
    let at = skipSpace(this.text, start + 1, this.end);
    if (this.text[at] === closing) return { start, end: at + 1, members };
    for (;;) {
      const memberStart = at;
      let keyEnd = at;
      if (isObject) {
        const end = this.match(STRING, at);
        if (end === null) return null;
        const colon = skipSpace(this.text, end, this.end);
        if (this.text[colon] !== ":") return null;
        keyEnd = colon + 1;
        at = skipSpace(this.text, keyEnd, this.end);
      }
      const value = this.value(at, depth + 1);
      if (!value) return null;
      members.push({ start: memberStart, keyEnd, value });
      at = skipSpace(this.text, value.end, this.end);
      const next = this.text[at];
      if (next === closing && at < this.end) return { start, end: at + 1, members };
      if (next !== ",") return null;
      at = skipSpace(this.text, at + 1, this.end);
    }
  }

  private match(pattern: RegExp, at: number): number | null {
    pattern.lastIndex = at;
    const found = pattern.exec(this.text);
    const end = found ? pattern.lastIndex : null;
    return end !== null && end > at && end <= this.end ? end : null;
  }
}
