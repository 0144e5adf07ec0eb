/** Marked stretches of a turn's text, and a row cut at their ends. */

import type { Graph, Span, Unit } from "./model";

export type MarkKind =
  | "target"
  | "evidence"
  | "found"
  | "current"
  | "pointed"
  | `unit-${Unit["verdict"]}`;

export interface Mark extends Span {
  kind: MarkKind;
  title?: string;
}

export interface Piece extends Span {
  kinds: MarkKind[];
  title: string | null;
}

export function cut(row: Span, marks: readonly Mark[]): Piece[] {
  const inside = marks.filter((mark) => mark.start < row.end && mark.end > row.start);
  if (inside.length === 0) return [{ ...row, kinds: [], title: null }];
  const ends = new Set([row.start, row.end]);
  for (const mark of inside) {
    ends.add(Math.max(mark.start, row.start));
    ends.add(Math.min(mark.end, row.end));
  }
  const sorted = [...ends].sort((a, b) => a - b);
  const pieces: Piece[] = [];
  for (let i = 0; i + 1 < sorted.length; i++) {
    const start = sorted[i] as number;
    const end = sorted[i + 1] as number;
    const covering = inside.filter((mark) => mark.start <= start && mark.end >= end);
    pieces.push({
      start,
      end,
      kinds: [...new Set(covering.map((mark) => mark.kind))],
      title: covering.find((mark) => mark.title)?.title ?? null,
    });
  }
  return pieces;
}

/** The marks of a graph, turn by turn. */
export function graphMarks(graph: Graph): Map<number, Mark[]> {
  const marks = new Map<number, Mark[]>();
  const add = (turn: number, mark: Mark) => {
    const list = marks.get(turn);
    if (list) list.push(mark);
    else marks.set(turn, [mark]);
  };
  for (const span of graph.target.spans) add(graph.target.turn, { ...span, kind: "target" });
  for (const node of graph.nodes) {
    if (node.turn === graph.target.turn) continue;
    for (const span of node.spans) add(node.turn, { ...span, kind: "evidence" });
  }
  for (const unit of graph.units) {
    const title = unit.note ? `${unit.verdict}: ${unit.note}` : unit.verdict;
    add(unit.turn, { ...unit.span, kind: `unit-${unit.verdict}`, title });
  }
  return marks;
}
