/** Talking to `tokengeist serve`. All addresses are relative: the token is part of the page's own. */

import { isOver, type Job } from "./jobs";
import type { WireConversation, WireStep, WireTrace } from "./wire";

export interface Backend {
  name: string;
  summary: string;
  model: boolean;
}

export interface Home {
  backends: Backend[];
  backend: string;
  runs: { key: string; name: string; backend: string; data: string }[];
}

export interface Listing {
  total: number;
  /** False while files are still being looked through. */
  whole: boolean;
  items: { key: string; id: string; file: string; turns: number; preview: string }[];
  skipped: { file: string; reason: string }[];
  skipped_total: number;
}

export interface Opened {
  conversation: WireConversation;
  file: string;
  traces: WireTrace[];
}

export interface RunTarget {
  conversation: string;
  conversation_id: string;
  name: string;
  turn: number;
  start: number;
  end: number;
  text: string;
  tags: string[];
  depth: number;
  error: string | null;
  scores: Record<string, number | null>;
}

export interface Run {
  key: string;
  name: string;
  data: string;
  method: Record<string, unknown>;
  metrics: string[];
  targets: RunTarget[];
}

async function call<T>(path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`api/${path}`, {
    ...(body === undefined
      ? {}
      : {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
  });
  const data = (await answer.json().catch(() => ({}))) as { error?: string };
  if (!answer.ok) throw new Error(data.error ?? `the server answered ${answer.status}`);
  return data as T;
}

export const home = () => call<Home>("home");

export const conversations = (query: string, offset: number) =>
  call<Listing>(`conversations?q=${encodeURIComponent(query)}&offset=${offset}`);

const ofRun = (run: string | null) => (run ? `?run=${encodeURIComponent(run)}` : "");

export const opened = (key: string, run: string | null) =>
  call<Opened>(`conversations/${encodeURIComponent(key)}${ofRun(run)}`);

/** Where a conversation with its traces can be had as one file. */
export const fileOf = (key: string, run: string | null) =>
  `api/conversations/${encodeURIComponent(key)}/page.html${ofRun(run)}`;

export const run = (key: string) => call<Run>(`runs/${encodeURIComponent(key)}`);

export const ask = (question: {
  conversation: string;
  turn: number;
  start: number;
  end: number;
  backend: string;
}) => call<unknown>("traces", question);

/** Put edges of a finished trace to the test. */
export const verify = (question: {
  conversation: string;
  trace: string;
  edges: [number, number][];
}) => call<unknown>("verify", question);

export const cancel = (job: string) => call<unknown>(`jobs/${encodeURIComponent(job)}/cancel`, {});

export interface Happening {
  jobs: Job[];
  /** A trace that has just been finished. */
  trace?: { conversation: string; trace: WireTrace };
  connected: boolean;
}

/** Follows everything that happens to jobs; returns how to stop. */
export function follow(tell: (happening: Happening) => void): () => void {
  let jobs: Job[] = [];
  const source = new EventSource("api/events");
  const on = <T>(kind: string, act: (data: T) => void) =>
    source.addEventListener(kind, (event) => act(JSON.parse((event as MessageEvent).data) as T));
  on<{ jobs: Job[] }>("snapshot", (data) => {
    jobs = data.jobs;
    tell({ jobs, connected: true });
  });
  on<Job>("job", (job) => {
    const known = jobs.find((other) => other.id === job.id);
    const merged = { ...job, steps: known?.steps ?? [] };
    jobs = known ? jobs.map((other) => (other === known ? merged : other)) : [...jobs, merged];
    jobs = jobs.filter((other, index) => !isOver(other) || index >= jobs.length - 20);
    tell({ jobs, connected: true });
  });
  on<{ job: string; step: WireStep }>("step", ({ job, step }) => {
    jobs = jobs.map((other) =>
      other.id === job ? { ...other, steps: [...other.steps, step] } : other,
    );
    tell({ jobs, connected: true });
  });
  on<{ conversation: string; trace: WireTrace }>("trace", (trace) =>
    tell({ jobs, trace, connected: true }),
  );
  source.onerror = () => tell({ jobs, connected: false });
  return () => source.close();
}
