/** A gold graph while it is being edited: its edges, and the drawing that follows from them. */

import type { Conversation, Graph, GraphEdge, GraphNode, Span } from "../lib/model";
import type { WireDependency } from "./api";

export interface Dependency {
  dependent: number;
  source: number;
  /** What the dependent needed of the source, in UTF-16 units. */
  span: Span;
}

export function dependenciesOf(edges: WireDependency[], conversation: Conversation): Dependency[] {
  return edges.map(([dependent, source, start, end]) => {
    const offsets = conversation.turns[source]?.offsets;
    const units = (at: number) => offsets?.toUnits(at) ?? at;
    return { dependent, source, span: { start: units(start), end: units(end) } };
  });
}

export function toWire(edges: Dependency[], conversation: Conversation): WireDependency[] {
  return edges.map(({ dependent, source, span }) => {
    const offsets = conversation.turns[source]?.offsets;
    const points = (at: number) => offsets?.toCodePoints(at) ?? at;
    return [dependent, source, points(span.start), points(span.end)];
  });
}

/** The edges with one more; the same edge with other evidence replaces the one that was there. */
export function withEdge(edges: Dependency[], added: Dependency): Dependency[] {
  const same = (edge: Dependency) =>
    edge.dependent === added.dependent && edge.source === added.source;
  const at = edges.findIndex(same);
  return at < 0 ? [...edges, added] : edges.with(at, added);
}

/** The turns that may depend on a turn: those of the graph that come later. */
export function dependents(edges: Dependency[], root: number, source: number): number[] {
  const turns = new Set([root, ...edges.flatMap((edge) => [edge.dependent, edge.source])]);
  return [...turns].filter((turn) => turn > source).sort((a, b) => a - b);
}

/** What is drawn; turns that the claim no longer reaches stay visible, so that they are noticed. */
export function graphOf(
  target: Graph["target"],
  edges: Dependency[],
  conversation: Conversation,
): Graph {
  const depths = new Map([[target.turn, 0]]);
  const turns = new Set([target.turn, ...edges.flatMap((edge) => [edge.dependent, edge.source])]);
  const latestFirst = [...turns].sort((a, b) => b - a);
  for (const turn of latestFirst) {
    const depth = depths.get(turn);
    for (const edge of edges) {
      if (edge.dependent !== turn || depth === undefined) continue;
      depths.set(edge.source, Math.min(depths.get(edge.source) ?? depth + 1, depth + 1));
    }
  }
  const nodes: GraphNode[] = latestFirst.map((turn) => {
    const role = conversation.turns[turn]?.role ?? "tool";
    const ends = !edges.some((edge) => edge.dependent === turn);
    const given = role === "user" || role === "system";
    const spans = edges.filter((edge) => edge.source === turn).map((edge) => edge.span);
    return {
      turn,
      role,
      depth: depths.get(turn) ?? 0,
      spans: turn === target.turn ? target.spans : spans,
      stop: ends ? (given ? "exogenous" : "no source") : null,
    };
  });
  const drawn: GraphEdge[] = edges.map(({ dependent, source, span }) => ({
    dependent,
    source,
    score: 1,
    annotated: true,
    kind: conversation.turns[dependent]?.role === "tool" ? "structural" : "attribution",
    evidence: [span],
  }));
  return { target, nodes, edges: drawn, units: [] };
}
