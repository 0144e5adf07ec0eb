/** The state of a conversation on the screen, and what follows from it. */

import { useCallback, useMemo, useState } from "preact/hooks";
import type { Job } from "../lib/jobs";
import type { Link } from "../lib/link";
import { formatLink } from "../lib/link";
import { graphMarks, type Mark } from "../lib/marks";
import { type Conversation, GOLD, type Graph, type GraphEdge, type Trace } from "../lib/model";
import { chainTo, hopsOf, prune } from "../lib/prune";
import { search } from "../lib/search";
import { type Target, targetAt, targetKey, tracesOf } from "../lib/targets";
import type { WireView } from "../lib/wire";
import type { Place } from "./Conversation";

export type Mode = "graph" | "steps" | "compare";

const PAPER: WireView = { alpha: 0.85, top_k: null, max_depth: null, min_score: 0 };

/** The method of a graph that people made. Nobody's threshold applies to it. */

/** What a view shows of a trace; a turn that has not been expanded yet is no dead end. */
export function through(trace: Trace, view: WireView, flat: boolean): Graph {
  if (trace.backend === GOLD) return trace.graph;
  const shown = prune(trace.graph, flat ? { ...view, max_depth: 1 } : view);
  if (trace.wire) return shown;
  const expanded = new Set(trace.steps.map((step) => step.turn));
  const nodes = shown.nodes.map((n) => (expanded.has(n.turn) ? n : { ...n, stop: null }));
  return { ...shown, nodes };
}

export function useWorkspace(
  conversation: Conversation,
  traces: Trace[],
  link: Link,
  preferred: string | null,
) {
  const [target, setTarget] = useState<Target | null>(() =>
    link.turn === null
      ? (traces[0]?.graph.target ?? null)
      : targetAt(traces, conversation, link.turn, link.span),
  );
  const [method, setMethod] = useState<string | null>(link.backend);
  const [against, setAgainst] = useState<string | null>(link.against);
  const [ownView, setOwnView] = useState<Partial<WireView>>(link.view);
  const [flat, setFlat] = useState(link.flat);
  /** Null until somebody walks: then the link says where. */
  const [path, setPath] = useState<number[] | null>(null);
  const [hot, setHot] = useState<number | null>(null);
  const [pointed, setPointed] = useState<GraphEdge | null>(null);
  const [mode, setMode] = useState<Mode>(
    link.mode === "steps" || link.mode === "compare" ? link.mode : "graph",
  );
  const [query, setQuery] = useState("");
  const [position, setPosition] = useState(0);

  const key = target && targetKey(target);
  const methods = useMemo(() => tracesOf(traces, key), [traces, key]);
  const trace =
    methods.find((t) => t.backend === method) ??
    methods.find((t) => t.backend === preferred) ??
    methods.filter((t) => t.backend !== GOLD).at(-1) ??
    methods.at(-1) ??
    null;
  const view = useMemo<WireView>(
    () => ({ ...(trace?.view ?? PAPER), ...ownView }),
    [trace?.view, ownView],
  );
  const graph = useMemo(() => trace && through(trace, view, flat), [trace, view, flat]);
  const others = methods.filter((t) => t !== trace);
  const rival =
    others.find((t) => t.backend === against) ??
    others.find((t) => t.backend === GOLD) ??
    others[0] ??
    null;
  const rivalGraph = useMemo(
    () => rival && through(rival, { ...rival.view, ...ownView }, flat),
    [rival, ownView, flat],
  );

  // A stricter view may drop a turn that the walk had reached.
  const kept = useMemo(() => {
    if (!graph) return [];
    if (path === null) {
      const known = graph.nodes.some((node) => node.turn === link.focus);
      return known ? chainTo(graph, link.focus) : [];
    }
    const edges = new Set(graph.edges.map((edge) => `${edge.dependent}>${edge.source}`));
    const valid = path.filter((turn, i) => i === 0 || edges.has(`${path[i - 1]}>${turn}`));
    return valid.length === path.length && valid[0] === graph.target.turn ? path : [];
  }, [graph, path, link.focus]);

  const matches = useMemo(() => search(conversation, query), [conversation, query]);
  const current = matches[position % Math.max(1, matches.length)] ?? null;

  const marks = useMemo(() => {
    const all = graph ? graphMarks(graph) : new Map<number, Mark[]>();
    const add = (turn: number, mark: Mark) => all.set(turn, [...(all.get(turn) ?? []), mark]);
    if (!graph && target) for (const s of target.spans) add(target.turn, { ...s, kind: "target" });
    for (const m of matches) {
      add(m.turn, { start: m.start, end: m.end, kind: m === current ? "current" : "found" });
    }
    for (const span of pointed?.evidence ?? []) {
      add((pointed as GraphEdge).source, { ...span, kind: "pointed" });
    }
    return all;
  }, [graph, target, matches, current, pointed]);

  const places = useMemo(() => {
    const found = new Map<number, Place>();
    if (!graph) return found;
    const hops = hopsOf(graph);
    for (const node of graph.nodes) {
      found.set(node.turn, { depth: hops.get(node.turn) ?? 0, leaf: node.stop === "exogenous" });
    }
    return found;
  }, [graph]);

  const choose = useCallback((next: Target | null) => {
    setTarget(next);
    setPath([]);
    setMethod(null);
  }, []);
  const open = useCallback(
    (turn: number) => {
      if (!graph?.nodes.some((node) => node.turn === turn)) return;
      const last = kept.at(-1) ?? graph.target.turn;
      const back = kept.indexOf(turn);
      const onward = graph.edges.some((e) => e.dependent === last && e.source === turn);
      if (back >= 0) setPath(kept.slice(0, back + 1));
      else if (onward) setPath([...(kept.length > 0 ? kept : [last]), turn]);
      else setPath(chainTo(graph, turn));
    },
    [graph, kept],
  );
  const hover = useCallback((turn: number | null, edge?: GraphEdge) => {
    setHot(turn);
    setPointed(edge ?? null);
  }, []);
  const move = useCallback(
    (by: 1 | -1) =>
      setPosition((p) => (matches.length > 0 ? (p + by + matches.length) % matches.length : 0)),
    [matches.length],
  );

  const hash = useMemo(() => {
    const offsets = target && conversation.turns[target.turn]?.offsets;
    const span = target?.spans[0];
    return formatLink({
      conversation: link.conversation,
      run: link.run,
      turn: target?.turn ?? null,
      span:
        offsets && span
          ? { start: offsets.toCodePoints(span.start), end: offsets.toCodePoints(span.end) }
          : null,
      backend: method,
      against: mode === "compare" ? against : null,
      view: ownView,
      flat,
      focus: kept.length > 1 ? (kept.at(-1) ?? null) : null,
      mode: mode === "graph" ? null : mode,
    });
  }, [
    conversation,
    target,
    method,
    against,
    ownView,
    flat,
    kept,
    mode,
    link.conversation,
    link.run,
  ]);

  return {
    target,
    choose,
    trace,
    methods,
    method: trace?.backend ?? null,
    setMethod,
    view,
    setView: (next: WireView) => setOwnView(next),
    flat,
    setFlat,
    graph,
    rival,
    rivalGraph,
    setAgainst,
    path: kept,
    setPath,
    open,
    hot,
    hover,
    mode,
    setMode,
    query,
    setQuery: (next: string) => {
      setQuery(next);
      setPosition(0);
    },
    matches,
    current,
    position,
    move,
    marks,
    places,
    hash,
  };
}

export type WorkspaceState = ReturnType<typeof useWorkspace>;

/** The jobs that have to do with what is on the screen. */
export function jobsFor(jobs: Job[], target: Target | null, conversation: Conversation): Job[] {
  if (!target) return [];
  const offsets = conversation.turns[target.turn]?.offsets;
  const start = offsets?.toCodePoints(target.spans[0]?.start ?? 0);
  const end = offsets?.toCodePoints(target.spans[0]?.end ?? 0);
  return jobs.filter(
    (job) => job.turn === target.turn && job.spans[0]?.start === start && job.spans[0]?.end === end,
  );
}
