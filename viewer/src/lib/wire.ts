/** What Python writes for the page: offsets count code points of a turn's canonical text. */

export type Role = "system" | "user" | "assistant" | "tool";
export type EdgeKind = "attribution" | "structural";
export type Stop = "exogenous" | "depth" | "no source" | "orphan result";
export type Confirmation = "confirmed" | "weak" | "not confirmed";
export type Verdict = "verbatim" | "derived" | "attributed" | "unsupported";

export interface WireSpan {
  start: number;
  end: number;
  text?: string;
}

export interface WireView {
  alpha: number;
  top_k: number | null;
  max_depth: number | null;
  min_score: number;
}

export interface WireNode {
  turn: number;
  role: Role;
  depth: number;
  stop: Stop | null;
  kept: boolean;
  spans: WireSpan[];
}

export interface WireEdge {
  dependent: number;
  source: number;
  score: number;
  kind: EdgeKind;
  kept: boolean;
  evidence: WireSpan[];
  /** What `--verify` said, where there was one. */
  confirmation?: Confirmation | null;
}

export interface WireUnit {
  turn: number;
  span: WireSpan;
  verdict: Verdict;
  note: string;
  sources: { turn: number; span: WireSpan }[];
}

/** The graph file of `export/graph.schema.json`. */
export interface WireGraph {
  format: "tokengeist.graph";
  version: 1;
  caveat: string;
  transcript: { id: string; fingerprint: string };
  method: { backend: string; model: string | null; options: Record<string, unknown> };
  trace: Record<string, unknown>;
  view: WireView;
  target: { turn: number; spans: WireSpan[] };
  nodes: WireNode[];
  edges: WireEdge[];
  units: WireUnit[];
}

/** One turn of the search as it was finished; `candidates` are the best the backend offered. */
export interface WireStep {
  turn: number;
  depth: number;
  stop: Stop | null;
  spans: WireSpan[];
  question: WireSpan[] | null;
  candidates: { turn: number; score: number; evidence: WireSpan[] }[];
  offered: number;
  edges: { source: number; score: number; kind: EdgeKind; evidence: WireSpan[] }[];
}

export interface WireTrace {
  id: string;
  name: string | null;
  graph: WireGraph;
  steps: WireStep[] | null;
}

export interface WireTurn {
  turn: number;
  role: Role;
  name: string | null;
  text: string;
  calls: { name: string; start: number; end: number }[];
  answers: { turn: number; start: number; end: number } | null;
  summary: boolean;
}

export interface WireConversation {
  id: string;
  title: string;
  fingerprint: string;
  turns: WireTurn[];
}

/** The data of a page that was written to a file. */
export interface FilePage {
  format: "tokengeist.page";
  version: 1;
  mode: "file";
  conversation: WireConversation;
  traces: WireTrace[];
  redacted: boolean;
}

/** The data of a page that talks to `tokengeist serve`. */
export interface ServerPage {
  format: "tokengeist.page";
  version: 1;
  mode: "server";
}

export type Page = FilePage | ServerPage;
