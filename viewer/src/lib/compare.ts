/** Two graphs of the same target, edge by edge. */

import type { Graph, GraphEdge } from "./model";

export type Difference = "both" | "left" | "right";

export interface Comparison {
  /** By `dependent>source`. */
  edges: Map<string, Difference>;
  counts: Record<Difference, number>;
  precision: number;
  recall: number;
  f1: number;
}

export function edgeKey(edge: { dependent: number; source: number }): string {
  return `${edge.dependent}>${edge.source}`;
}

/** `right` counts as the truth: its edges that `left` lacks are missing, the reverse spurious. */
export function compare(left: Graph, right: Graph): Comparison {
  const ours = new Set(left.edges.map(edgeKey));
  const theirs = new Set(right.edges.map(edgeKey));
  const edges = new Map<string, Difference>();
  for (const key of ours) edges.set(key, theirs.has(key) ? "both" : "left");
  for (const key of theirs) if (!ours.has(key)) edges.set(key, "right");
  const counts = { both: 0, left: 0, right: 0 };
  for (const difference of edges.values()) counts[difference] += 1;
  const ratio = (of: number) => (of === 0 ? 0 : counts.both / of);
  const precision = ratio(ours.size);
  const recall = ratio(theirs.size);
  const f1 = counts.both === 0 ? 0 : (2 * precision * recall) / (precision + recall);
  return { edges, counts, precision, recall, f1 };
}

/** Both graphs in one, for a drawing in which a turn has one place. */
export function union(left: Graph, right: Graph): Graph {
  const nodes = new Map(left.nodes.map((node) => [node.turn, node]));
  for (const node of right.nodes) if (!nodes.has(node.turn)) nodes.set(node.turn, node);
  const edges = new Map<string, GraphEdge>();
  for (const edge of [...left.edges, ...right.edges]) {
    if (!edges.has(edgeKey(edge))) edges.set(edgeKey(edge), edge);
  }
  return {
    ...left,
    nodes: [...nodes.values()].sort((a, b) => b.turn - a.turn),
    edges: [...edges.values()],
  };
}
