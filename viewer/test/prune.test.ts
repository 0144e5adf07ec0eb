import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Graph } from "../src/lib/model";
import { chainTo, extendChain, hopsOf, mergeSpans, prune } from "../src/lib/prune";
import type { WireView } from "../src/lib/wire";

interface Case {
  graph: Graph;
  view: WireView;
  pruned: Graph;
}

const CASES = JSON.parse(readFileSync("../tests/golden/prune.json", "utf8")) as Case[];

test("pruning agrees with Python on every shared case", () => {
  for (const { graph, view, pruned } of CASES) {
    const got = prune(graph, view);
    assert.deepEqual(got.nodes, pruned.nodes);
    assert.deepEqual(got.edges, pruned.edges);
  }
});

test("a chain ends at a leaf and every step of it is an edge", () => {
  for (const { graph } of CASES) {
    const chain = chainTo(graph, null);
    for (let i = 1; i < chain.length; i++) {
      assert.ok(graph.edges.some((e) => e.dependent === chain[i - 1] && e.source === chain[i]));
    }
    assert.ok(!graph.edges.some((edge) => edge.dependent === chain.at(-1)));
    assert.deepEqual(extendChain(graph, chain.slice(0, 1)), chain);
  }
});

test("a chain leads to any turn of the graph", () => {
  for (const { graph } of CASES) {
    for (const node of graph.nodes) assert.equal(chainTo(graph, node.turn).at(-1), node.turn);
  }
});

test("hops are counted in the graph as it is shown", () => {
  for (const { graph } of CASES) {
    const hops = hopsOf(graph);
    for (const node of graph.nodes) assert.equal(hops.get(node.turn), node.depth);
  }
});

test("spans that touch become one", () => {
  const merged = mergeSpans([
    { start: 4, end: 9 },
    { start: 0, end: 2 },
    { start: 2, end: 5 },
  ]);
  assert.deepEqual(merged, [{ start: 0, end: 9 }]);
});
