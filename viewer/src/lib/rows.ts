/**
 * A turn's text as rows: what is shown, folded and unfolded.
 *
 * Every row is a range of the canonical text, and all visible text lies in some row. A fold hides
 * rows, never characters of a row, so an offset is always found by looking at one row.
 */

import { jsonLines } from "./json";
import type { Span, Turn } from "./model";

export interface Row extends Span {
  indent: number;
  /** Where a leading JSON key ends. */
  key: number;
}

export interface Block {
  kind: "prose" | "json" | "call";
  /** The name of the tool of a call. */
  name: string | null;
  start: number;
  end: number;
  rows: Row[];
  /** How many rows stay open when the block is folded. */
  head: number;
}

/** A line longer than this is broken where words end: a browser must not lay out megabytes. */
const LONG_LINE = 2400;
/** JSON beyond this is shown as it is. */
const LARGEST_JSON = 400_000;
const HEADS = { system: 3, user: 14, assistant: 14, tool: 5 } as const;
const CALL_HEAD = 8;

export function blocksOf(turn: Turn): Block[] {
  const blocks: Block[] = [];
  const firstCall = turn.calls[0];
  const contentEnd = firstCall ? Math.max(0, firstCall.start - 1) : turn.text.length;
  if (turn.text.slice(0, Math.min(contentEnd, 200)).trim() || contentEnd > 200) {
    const lines = pretty(turn.text, 0, contentEnd);
    const kind = lines ? "json" : "prose";
    const rows = lines ?? proseRows(turn.text, 0, contentEnd);
    blocks.push({ kind, name: null, start: 0, end: contentEnd, rows, head: HEADS[turn.role] });
  }
  for (const call of turn.calls) {
    const from = call.start + call.name.length + 1;
    const lines = pretty(turn.text, from, call.end - 1);
    const rows = lines ?? proseRows(turn.text, from, call.end - 1);
    blocks.push({
      kind: "call",
      name: call.name,
      start: call.start,
      end: call.end,
      rows,
      head: CALL_HEAD,
    });
  }
  return blocks;
}

function pretty(text: string, start: number, end: number): Row[] | null {
  return end - start <= LARGEST_JSON ? jsonLines(text, start, end) : null;
}

function proseRows(text: string, start: number, end: number): Row[] {
  const rows: Row[] = [];
  let at = start;
  while (at < end) {
    const newline = text.indexOf("\n", at);
    const stop = newline === -1 || newline >= end ? end : newline;
    pushLine(rows, text, at, stop);
    at = stop + 1;
  }
  return rows;
}

function pushLine(rows: Row[], text: string, start: number, end: number): void {
  let at = start;
  while (end - at > LONG_LINE) {
    const space = text.lastIndexOf(" ", at + LONG_LINE);
    let stop = space > at ? space + 1 : at + LONG_LINE;
    const code = text.charCodeAt(stop - 1);
    if (code >= 0xd800 && code < 0xdc00) stop += 1; // a pair stays together
    rows.push({ start: at, end: stop, indent: 0, key: at });
    at = stop;
  }
  rows.push({ start: at, end, indent: 0, key: at });
}

export interface Gap {
  from: number;
  to: number;
}

/**
 * Which rows a folded block shows: its head, what `open` asks for, and the rows that any of
 * `marks` touches with a neighbour on each side. Gaps of one row are not worth a button.
 */
export function visibleRows(
  block: Block,
  open: ReadonlySet<number> | "all",
  marks: readonly Span[],
): (number | Gap)[] {
  const { rows } = block;
  if (open === "all") return rows.map((_, index) => index);
  const show = new Uint8Array(rows.length);
  show.fill(1, 0, Math.min(block.head, rows.length));
  for (const index of open) if (index < rows.length) show[index] = 1;
  for (const mark of marks) {
    if (mark.end - mark.start >= block.end - block.start) continue; // all of it: no reason to open
    const first = firstRowAfter(rows, mark.start);
    for (let i = first; i < rows.length && (rows[i] as Row).start < mark.end; i++) {
      if (i - first > 40) break;
      show.fill(1, Math.max(0, i - 1), Math.min(rows.length, i + 2));
    }
  }
  const visible: (number | Gap)[] = [];
  let at = 0;
  while (at < rows.length) {
    let stop = at;
    while (stop < rows.length && !show[stop]) stop += 1;
    if (stop - at > 1) visible.push({ from: at, to: stop });
    else if (stop - at === 1) visible.push(at);
    if (stop < rows.length) visible.push(stop);
    at = stop + 1;
  }
  return visible;
}

/** The first row that ends after `offset`. */
function firstRowAfter(rows: Row[], offset: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle] as Row).end > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}
