import assert from "node:assert/strict";
import { test } from "node:test";
import { compare, union } from "../src/lib/compare";
import { graphFile, mermaid } from "../src/lib/handout";
import { draw } from "../src/lib/layout";
import { formatLink, NOWHERE, parseLink } from "../src/lib/link";
import { conversationOf, graphOfSteps, traceOf } from "../src/lib/model";
import { search } from "../src/lib/search";
import { targetAt, targetsOf, tracesOf } from "../src/lib/targets";
import type { WireConversation, WireGraph } from "../src/lib/wire";

const WIRE: WireConversation = {
  id: "x",
  title: "x",
  fingerprint: "f",
  turns: [
    {
      turn: 0,
      role: "user",
      name: null,
      text: "😀 my id is Q7",
      calls: [],
      answers: null,
      summary: false,
    },
    {
      turn: 1,
      role: "assistant",
      name: null,
      text: 'find({"id": "Q7"})',
      calls: [{ name: "find", start: 0, end: 18 }],
      answers: null,
      summary: false,
    },
    {
      turn: 2,
      role: "tool",
      name: "find",
      text: '{"paid": "😀 9"}',
      calls: [],
      answers: { turn: 1, start: 0, end: 18 },
      summary: false,
    },
    {
      turn: 3,
      role: "assistant",
      name: null,
      text: "You paid 9.",
      calls: [],
      answers: null,
      summary: false,
    },
  ],
};
const GRAPH: WireGraph = {
  format: "tokengeist.graph",
  version: 1,
  caveat: "not proof",
  transcript: { id: "x", fingerprint: "f" },
  method: { backend: "lexical", model: null, options: {} },
  trace: {},
  view: { alpha: 0.85, top_k: null, max_depth: null, min_score: 0 },
  target: { turn: 3, spans: [{ start: 0, end: 11 }] },
  nodes: [
    {
      turn: 3,
      role: "assistant",
      depth: 0,
      stop: null,
      kept: true,
      spans: [{ start: 0, end: 11 }],
    },
    { turn: 2, role: "tool", depth: 1, stop: null, kept: true, spans: [{ start: 12, end: 13 }] },
    {
      turn: 1,
      role: "assistant",
      depth: 2,
      stop: null,
      kept: true,
      spans: [{ start: 0, end: 18 }],
    },
    {
      turn: 0,
      role: "user",
      depth: 3,
      stop: "exogenous",
      kept: true,
      spans: [{ start: 11, end: 13 }],
    },
  ],
  edges: [
    {
      dependent: 3,
      source: 2,
      score: 0.5,
      kind: "attribution",
      kept: true,
      evidence: [{ start: 12, end: 13 }],
    },
    {
      dependent: 2,
      source: 1,
      score: 1,
      kind: "structural",
      kept: true,
      evidence: [{ start: 0, end: 18 }],
    },
    {
      dependent: 1,
      source: 0,
      score: 0.4,
      kind: "attribution",
      kept: true,
      evidence: [{ start: 11, end: 13 }],
    },
  ],
  units: [],
};
const CONVERSATION = conversationOf(WIRE);
const TRACE = traceOf({ id: "1", name: null, graph: GRAPH, steps: null }, CONVERSATION);

test("spans become UTF-16 at the boundary and code points on the way out", () => {
  const user = TRACE.graph.nodes.find((node) => node.turn === 0);
  const span = user?.spans[0];
  assert.ok(span);
  assert.equal(CONVERSATION.turns[0]?.text.slice(span.start, span.end), "Q7");
  const file = graphFile(TRACE, TRACE.graph, TRACE.view, CONVERSATION);
  assert.deepEqual(file?.nodes.at(-1)?.spans, [{ start: 11, end: 13, text: "Q7" }]);
  assert.deepEqual(file?.edges[0]?.evidence, [{ start: 12, end: 13, text: "9" }]);
});

test("a trace saved without steps still walks through what was followed", () => {
  assert.deepEqual(
    TRACE.steps.map((step) => [step.turn, step.edges.length, step.stop]),
    [
      [3, 1, null],
      [2, 1, null],
      [1, 1, null],
      [0, 0, "exogenous"],
    ],
  );
});

test("the steps so far make a graph that can be drawn", () => {
  const partial = graphOfSteps(TRACE.graph.target, TRACE.steps.slice(0, 2), CONVERSATION);
  assert.deepEqual(
    partial.nodes.map((node) => node.turn),
    [3, 2, 1],
  );
  const drawing = draw(partial, CONVERSATION);
  const heights = drawing.boxes.map((box) => box.y);
  assert.deepEqual(
    heights,
    [...heights].sort((a, b) => a - b),
    "latest turn on top",
  );
});

test("Mermaid escapes whatever could be markup", () => {
  const source = mermaid(TRACE.graph, CONVERSATION);
  assert.ok(source.startsWith("flowchart TD\n"));
  assert.ok(source.includes('t1["turn 1 · assistant<br/>find#40;#123;#34;id#34;'));
  assert.ok(source.includes("t2 -.-> t1") && source.includes("t3 -->|0.50| t2"));
});

test("a link comes back as it was", () => {
  const link = {
    ...NOWHERE,
    conversation: "k&1",
    turn: 3,
    span: { start: 0, end: 11 },
    backend: "lexical",
    view: { alpha: 0.5, top_k: null, max_depth: 2 },
    flat: true,
    focus: 2,
    mode: "steps",
  };
  assert.deepEqual(parseLink(formatLink(link)), link);
  assert.deepEqual(parseLink("#turn=-1&span=x&alpha=7"), NOWHERE);
});

test("two graphs are compared edge by edge", () => {
  const other = { ...TRACE.graph, edges: TRACE.graph.edges.slice(0, 2) };
  const result = compare(TRACE.graph, other);
  assert.deepEqual(result.counts, { both: 2, left: 1, right: 0 });
  assert.equal(result.recall, 1);
  assert.equal(union(other, TRACE.graph).edges.length, 3);
});

test("search ignores case and takes the query literally", () => {
  assert.equal(search(CONVERSATION, "q7").length, 2);
  assert.equal(search(CONVERSATION, "(").length, 1);
  assert.equal(search(CONVERSATION, "  ").length, 0);
});

test("targets are found by key and by link", () => {
  const [only] = targetsOf([TRACE, { ...TRACE, id: "2", backend: "attention" }]);
  assert.ok(only);
  assert.equal(tracesOf([TRACE], only.key).length, 1);
  assert.deepEqual(targetAt([TRACE], CONVERSATION, 3, { start: 0, end: 11 }), TRACE.graph.target);
  assert.equal(targetAt([TRACE], CONVERSATION, 99, null), null);
});
