/**
 * Views of an unpruned graph; the same arithmetic as `tokengeist/extraction.py`.
 *
 * `tests/golden/prune.json` holds cases that both sides must agree on.
 */

import type { Graph, GraphEdge, GraphNode, Span } from "./model";
import type { WireView } from "./wire";

export function mergeSpans(spans: Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start || a.end - b.end)) {
    const last = merged.at(-1);
    if (last && span.start <= last.end) last.end = Math.max(last.end, span.end);
    else merged.push({ start: span.start, end: span.end });
  }
  return merged;
}

export function edgesBySource(edges: GraphEdge[]): Map<number, GraphEdge[]> {
  const grouped = new Map<number, GraphEdge[]>();
  for (const edge of edges) {
    const list = grouped.get(edge.dependent);
    if (list) list.push(edge);
    else grouped.set(edge.dependent, [edge]);
  }
  return grouped;
}

export function prune(graph: Graph, view: WireView): Graph {
  const sources = edgesBySource(graph.edges);
  const known = new Map(graph.nodes.map((node) => [node.turn, node]));
  const root = known.get(graph.target.turn);
  if (!root) return { ...graph, nodes: [], edges: [] };
  const kept: GraphEdge[] = [];
  const nodes = new Map<number, GraphNode>([[root.turn, root]]);
  // Latest first, so a node is known before its own edges are asked for.
  for (const node of graph.nodes) {
    const reached = nodes.get(node.turn);
    if (!reached) continue;
    const cut = view.max_depth !== null && node.depth >= view.max_depth;
    const edges = cut ? [] : strongest(sources.get(node.turn) ?? [], view);
    if (cut && reached.stop === null) nodes.set(node.turn, { ...reached, stop: "depth" });
    else if (edges.length === 0 && reached.stop === null)
      nodes.set(node.turn, { ...reached, stop: "no source" });
    for (const edge of edges) {
      kept.push(edge);
      const source = known.get(edge.source);
      if (!source) continue;
      const spans = mergeSpans([...(nodes.get(edge.source)?.spans ?? []), ...edge.evidence]);
      nodes.set(edge.source, { ...source, spans });
    }
  }
  const ordered = [...nodes.values()].sort((a, b) => b.turn - a.turn);
  return { ...graph, nodes: ordered, edges: kept };
}

function strongest(edges: GraphEdge[], view: WireView): GraphEdge[] {
  const passing = edges
    .filter((e) => e.score > 0 && (e.score >= view.min_score || e.kind === "structural"))
    .sort((a, b) => b.score - a.score);
  const best = passing[0]?.score ?? 0;
  const close = passing.filter((edge) => edge.score >= view.alpha * best);
  return view.top_k === null ? close : close.slice(0, view.top_k);
}

/** From the target towards `turn` (or, without one, to a leaf), the best edge first. */
export function chainTo(graph: Graph, turn: number | null): number[] {
  const sources = edgesBySource(graph.edges);
  const dead = new Set<number>();
  const walk = (path: number[]): number[] | null => {
    const here = path.at(-1) as number;
    const edges = sources.get(here) ?? [];
    if (turn === null ? edges.length === 0 : here === turn) return path;
    for (const edge of edges) {
      if (dead.has(edge.source)) continue;
      const found = walk([...path, edge.source]);
      if (found) return found;
    }
    dead.add(here);
    return null;
  };
  return walk([graph.target.turn]) ?? [graph.target.turn];
}

/** `path` and then the best edges on to a leaf. */
export function extendChain(graph: Graph, path: number[]): number[] {
  const last = path.at(-1);
  if (last === undefined) return path;
  const rest = chainTo({ ...graph, target: { turn: last, spans: [] } }, null);
  return [...path, ...rest.slice(1)];
}

/** Fewest edges from the target to each turn, in the graph as it is shown. */
export function hopsOf(graph: Graph): Map<number, number> {
  const hops = new Map([[graph.target.turn, 0]]);
  // Latest first: a turn's own hops are settled before its edges are followed.
  for (const edge of [...graph.edges].sort((a, b) => b.dependent - a.dependent)) {
    const next = (hops.get(edge.dependent) ?? 0) + 1;
    hops.set(edge.source, Math.min(hops.get(edge.source) ?? next, next));
  }
  return hops;
}
