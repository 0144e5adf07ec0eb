/** A trace on its way, as the server tells it. */

import { type Conversation, graphOfSteps, type Span, stepOf, type Trace } from "./model";
import type { WireSpan, WireStep, WireView } from "./wire";

export type JobState = "queued" | "reading" | "tracing" | "done" | "failed" | "cancelled";

export interface Job {
  id: string;
  conversation: string;
  turn: number;
  spans: WireSpan[];
  backend: string;
  view: WireView;
  caveat: string;
  state: JobState;
  /** How many jobs stand before it in the queue. */
  ahead: number;
  what: string;
  done: number;
  total: number;
  error: string | null;
  steps: WireStep[];
}

export function isOver(job: Job): boolean {
  return job.state === "done" || job.state === "failed" || job.state === "cancelled";
}

/** What can be drawn of a trace that is still running. */
export function partialTrace(job: Job, conversation: Conversation): Trace {
  const turn = conversation.turns[job.turn];
  const spans: Span[] = job.spans.map(({ start, end }) => ({
    start: turn?.offsets.toUnits(start) ?? 0,
    end: turn?.offsets.toUnits(end) ?? 0,
  }));
  const steps = job.steps.map((step) => stepOf(step, conversation));
  return {
    id: `job-${job.id}`,
    name: null,
    graph: graphOfSteps({ turn: job.turn, spans }, steps, conversation),
    steps,
    view: job.view,
    backend: job.backend,
    model: null,
    caveat: job.caveat,
    wire: null,
  };
}

/** One line on how far a job is. */
export function said(job: Job): string {
  switch (job.state) {
    case "queued":
      return job.ahead > 0 ? `waiting, ${job.ahead} before it` : "about to start";
    case "reading":
      return job.total > 1 ? `${job.what} ${job.done} / ${job.total}` : job.what || "reading";
    case "tracing":
      return `step ${job.steps.length}`;
    case "failed":
      return job.error ?? "failed";
    default:
      return job.state;
  }
}
