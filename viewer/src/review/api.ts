/** Talking to `tokengeist review`. All addresses are relative: the token is part of the page's own. */

import type { WireConversation, WireTrace } from "../lib/wire";

export const LEVELS = ["correct", "minor", "wrong"] as const;
export type Level = (typeof LEVELS)[number];

export interface Entry {
  conversation: string;
  target: string;
  bucket: string;
  split: string;
  judgement: Level | null;
  note: string;
  is_relabelled: boolean;
  is_waiting: boolean;
}

export interface Overview {
  data: string;
  reviewer: string;
  items: Entry[];
  can_undo: boolean;
}

/** Dependent, source, and the range of the source's text, in code points. */
export type WireDependency = [number, number, number, number];

export interface Item {
  conversation: WireConversation;
  trace: WireTrace;
  target: {
    name: string;
    turn: number;
    comment: string;
    tags: string[];
    corrective: number[];
    edges: WireDependency[];
  };
  /** Of the graph that is shown. */
  digest: string;
  /** The digest of the graph in the gold file. */
  gold: string;
  /** The graphs that may be looked at: none before the reviewer has said anything. */
  versions: { digest: string; owners: string[] }[];
}

export interface Row {
  name: string;
  sampled: number;
  before: number;
  correct: number;
  minor: number;
  wrong: number;
  after: number;
  accepted_after: number;
  waiting: number;
  pre: number | null;
  post: number | null;
}

export interface Table {
  buckets: Row[];
  splits: Row[];
  overall: Row;
}

export interface Kappa {
  reviewers: [string, string];
  n: number;
  observed: number | null;
  kappa: number | null;
  weighted: number | null;
}

export const METRICS = ["edge_f1", "node_f1", "source_recall", "span_f1"] as const;

export interface GraphAgreement {
  reviewers: [string, string];
  targets: number;
  unmatched: number;
  same_tags: number | null;
  metrics: Partial<Record<(typeof METRICS)[number], { mean: number }>>;
}

export interface Statistics {
  sample: { size: number; seed: number; reviewers: string[] };
  acceptance: Table;
  by_reviewer: Record<string, Table>;
  agreement: Kappa[];
  graphs: GraphAgreement[];
}

/** What the server says is wrong, and which rules an edit would break. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly problems: string[],
  ) {
    super(message);
  }
}

async function call<T>(path: string, body?: unknown): Promise<T> {
  const request =
    body === undefined
      ? {}
      : {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        };
  const answer = await fetch(`api/${path}`, request);
  const data = (await answer.json().catch(() => ({}))) as { error?: string; problems?: string[] };
  if (!answer.ok) {
    const message = data.error ?? `the server answered ${answer.status}`;
    throw new Refusal(message, data.problems ?? []);
  }
  return data as T;
}

export const overview = (reviewer: string) =>
  call<Overview>(`review?reviewer=${encodeURIComponent(reviewer)}`);

export const open = (index: number, reviewer: string, version?: string) => {
  const query = new URLSearchParams({ reviewer, ...(version && { version }) });
  return call<Item>(`items/${index}?${query}`);
};

export const judge = (judgement: {
  reviewer: string;
  item: number;
  judgement: Level;
  note: string;
  digest: string;
}) => call<Overview>("judge", judgement);

export const undo = (reviewer: string) =>
  call<Overview & { undone: number | null }>("undo", { reviewer });

export const edit = (change: {
  reviewer: string;
  item: number;
  digest: string;
  edges: WireDependency[];
  hallucination: boolean;
  corrective: number[];
  comment: string;
}) => call<Overview & { item: Item }>("edit", change);

/** Make a copy the gold graph, in place of the one that was seen there. */
export const adopt = (copy: { reviewer: string; item: number; digest: string; gold: string }) =>
  call<Overview & { item: Item }>("adopt", copy);

export const statistics = () => call<Statistics>("statistics");
