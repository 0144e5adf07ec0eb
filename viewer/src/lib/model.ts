/** What the page works with: the wire's data with offsets in UTF-16 units. */

import { type Offsets, offsetsOf } from "./offsets";
import type {
  Confirmation,
  EdgeKind,
  Role,
  Stop,
  Verdict,
  WireConversation,
  WireGraph,
  WireSpan,
  WireStep,
  WireTrace,
  WireView,
} from "./wire";

export interface Span {
  start: number;
  end: number;
}

export interface Turn {
  index: number;
  role: Role;
  name: string | null;
  text: string;
  calls: { name: string; start: number; end: number }[];
  answers: (Span & { turn: number }) | null;
  summary: boolean;
  offsets: Offsets;
}

export interface Conversation {
  id: string;
  title: string;
  fingerprint: string;
  turns: Turn[];
}

export interface GraphNode {
  turn: number;
  role: Role;
  depth: number;
  spans: Span[];
  stop: Stop | null;
}

export interface GraphEdge {
  dependent: number;
  source: number;
  score: number;
  kind: EdgeKind;
  evidence: Span[];
  confirmation?: Confirmation | null;
  /** Said by an annotator: there is no score to show. */
  annotated?: boolean;
}

export interface Unit {
  turn: number;
  span: Span;
  verdict: Verdict;
  note: string;
  sources: { turn: number; span: Span }[];
}

export interface Graph {
  target: { turn: number; spans: Span[] };
  nodes: GraphNode[];
  edges: GraphEdge[];
  units: Unit[];
}

export interface Step {
  turn: number;
  depth: number;
  stop: Stop | null;
  spans: Span[];
  question: Span[] | null;
  candidates: { turn: number; score: number; evidence: Span[] }[];
  offered: number;
  edges: GraphEdge[];
}

export interface Trace {
  id: string;
  name: string | null;
  graph: Graph;
  steps: Step[];
  view: WireView;
  backend: string;
  model: string | null;
  caveat: string;
  /** As it came, for handing it on. A trace that is still running has none. */
  wire: WireGraph | null;
}

export function conversationOf(wire: WireConversation): Conversation {
  const turns: Turn[] = wire.turns.map((turn) => {
    const offsets = offsetsOf(turn.text);
    return {
      index: turn.turn,
      role: turn.role,
      name: turn.name,
      text: turn.text,
      calls: turn.calls.map((call) => ({ name: call.name, ...unitSpan(call, offsets) })),
      answers: null,
      summary: turn.summary,
      offsets,
    };
  });
  for (const { turn, answers } of wire.turns) {
    const site = answers && turns[answers.turn];
    const own = turns[turn];
    if (site && own) own.answers = { turn: answers.turn, ...unitSpan(answers, site.offsets) };
  }
  return { id: wire.id, title: wire.title, fingerprint: wire.fingerprint, turns };
}

function unitSpan(span: WireSpan, offsets: Offsets): Span {
  return { start: offsets.toUnits(span.start), end: offsets.toUnits(span.end) };
}

/** The spans of one turn, in UTF-16 units. */
function spansOf(conversation: Conversation, turn: number, spans: WireSpan[]): Span[] {
  const offsets = conversation.turns[turn]?.offsets;
  return offsets ? spans.map((span) => unitSpan(span, offsets)) : [];
}

/** The name under which annotated graphs stand among the methods. */
export const GOLD = "gold";

export function traceOf(wire: WireTrace, conversation: Conversation): Trace {
  const graph = wire.graph;
  const annotated = graph.method.backend === GOLD;
  const model: Graph = {
    target: {
      turn: graph.target.turn,
      spans: spansOf(conversation, graph.target.turn, graph.target.spans),
    },
    nodes: graph.nodes.map(({ turn, role, depth, stop, spans }) => ({
      turn,
      role,
      depth,
      stop,
      spans: spansOf(conversation, turn, spans),
    })),
    edges: graph.edges.map(({ dependent, source, score, kind, evidence, confirmation }) => ({
      dependent,
      source,
      score,
      kind,
      confirmation: confirmation ?? null,
      annotated,
      evidence: spansOf(conversation, source, evidence),
    })),
    units: graph.units.map((unit) => ({
      turn: unit.turn,
      span: spansOf(conversation, unit.turn, [unit.span])[0] ?? { start: 0, end: 0 },
      verdict: unit.verdict,
      note: unit.note,
      sources: unit.sources.map(({ turn, span }) => ({
        turn,
        span: spansOf(conversation, turn, [span])[0] ?? { start: 0, end: 0 },
      })),
    })),
  };
  return {
    id: wire.id,
    name: wire.name,
    graph: model,
    steps: wire.steps
      ? wire.steps.map((step) => stepOf(step, conversation))
      : stepsFromGraph(model),
    view: graph.view,
    backend: graph.method.backend,
    model: graph.method.model,
    caveat: graph.caveat,
    wire: graph,
  };
}

export function stepOf(step: WireStep, conversation: Conversation): Step {
  const spans = (turn: number, list: WireSpan[]) => spansOf(conversation, turn, list);
  return {
    turn: step.turn,
    depth: step.depth,
    stop: step.stop,
    spans: spans(step.turn, step.spans),
    question: step.question && spans(step.turn, step.question),
    candidates: step.candidates.map((c) => ({ ...c, evidence: spans(c.turn, c.evidence) })),
    offered: step.offered,
    edges: step.edges.map((edge) => ({
      ...edge,
      dependent: step.turn,
      evidence: spans(edge.source, edge.evidence),
    })),
  };
}

/** The steps of a trace that was saved without them: what was followed is all that is known. */
function stepsFromGraph(graph: Graph): Step[] {
  return graph.nodes.map((node) => {
    const edges = graph.edges.filter((edge) => edge.dependent === node.turn);
    const scored = edges.filter((edge) => edge.kind === "attribution");
    return {
      turn: node.turn,
      depth: node.depth,
      stop: node.stop,
      spans: node.spans,
      question: scored.length > 0 ? node.spans : null,
      candidates: scored.map((e) => ({ turn: e.source, score: e.score, evidence: e.evidence })),
      offered: scored.length,
      edges,
    };
  });
}

/** The graph that the steps so far amount to; turns still to be expanded stand in it already. */
export function graphOfSteps(
  target: { turn: number; spans: Span[] },
  steps: Step[],
  conversation: Conversation,
): Graph {
  const nodes = new Map<number, GraphNode>();
  const add = (turn: number, depth: number, spans: Span[], stop: Stop | null) =>
    nodes.set(turn, { turn, depth, spans, stop, role: conversation.turns[turn]?.role ?? "tool" });
  add(target.turn, 0, target.spans, null);
  for (const step of steps) {
    add(step.turn, step.depth, step.spans, step.stop);
    for (const edge of step.edges) {
      if (!nodes.has(edge.source)) add(edge.source, step.depth + 1, edge.evidence, null);
    }
  }
  return {
    target,
    nodes: [...nodes.values()].sort((a, b) => b.turn - a.turn),
    edges: steps.flatMap((step) => step.edges),
    units: [],
  };
}
