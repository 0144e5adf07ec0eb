/** Which spans have been traced, and by which methods. */

import type { Conversation, Span, Trace } from "./model";
import { mergeSpans } from "./prune";

export interface Target {
  turn: number;
  spans: Span[];
}

export function targetKey(target: Target): string {
  const spans = mergeSpans(target.spans);
  return `${target.turn}:${spans.map((span) => `${span.start}-${span.end}`).join(",")}`;
}

/** The targets of all traces, each once, in order of the conversation. */
export function targetsOf(traces: Trace[]): { key: string; target: Target; name: string | null }[] {
  const found = new Map<string, { key: string; target: Target; name: string | null }>();
  for (const trace of traces) {
    const key = targetKey(trace.graph.target);
    const known = found.get(key);
    if (!known) found.set(key, { key, target: trace.graph.target, name: trace.name });
    else if (!known.name) known.name = trace.name;
  }
  return [...found.values()].sort(
    (a, b) =>
      a.target.turn - b.target.turn ||
      (a.target.spans[0]?.start ?? 0) - (b.target.spans[0]?.start ?? 0),
  );
}

/** The traces of one target, the latest per method. */
export function tracesOf(traces: Trace[], key: string | null): Trace[] {
  const byMethod = new Map<string, Trace>();
  for (const trace of traces) {
    if (targetKey(trace.graph.target) === key) byMethod.set(trace.backend, trace);
  }
  return [...byMethod.values()];
}

/** The first trace whose target lies in a turn and, where given, covers or is covered by a span. */
export function targetAt(
  traces: Trace[],
  conversation: Conversation,
  turn: number,
  span: { start: number; end: number } | null,
): Target | null {
  const offsets = conversation.turns[turn]?.offsets;
  if (!offsets) return null;
  const wanted = span && { start: offsets.toUnits(span.start), end: offsets.toUnits(span.end) };
  const found = traces.find(
    ({ graph }) =>
      graph.target.turn === turn &&
      (!wanted || graph.target.spans.some((s) => s.start === wanted.start && s.end === wanted.end)),
  );
  return found?.graph.target ?? (wanted ? { turn, spans: [wanted] } : null);
}
