/** Where the nodes and edges of a graph stand on the paper: the claim on top, sources below. */

import { graphlib, layout as runLayout } from "@dagrejs/dagre";
import type { Conversation, Graph, GraphEdge, GraphNode } from "./model";
import { excerpt, number, quote, shown } from "./text";

export interface Box {
  node: GraphNode;
  x: number;
  y: number;
  width: number;
  height: number;
  title: string;
  subtitle: string;
  lines: string[];
}

export interface Line {
  edge: GraphEdge;
  path: string;
  label: string;
  labelX: number;
  labelY: number;
  width: number;
}

export interface Drawing {
  boxes: Box[];
  lines: Line[];
  width: number;
  height: number;
}

const WIDTH = 216;
const COMPACT_WIDTH = 136;
export const PADDING = 14;
const QUOTE_LINES = 3;
export const TITLE_HEIGHT = 24;
export const LINE_HEIGHT = 16;
const FOOT = 22;

/** `compact` leaves the quotes out, for graphs that stand side by side. */
export function draw(graph: Graph, conversation: Conversation, compact = false): Drawing {
  const paper = new graphlib.Graph();
  const [nodesep, ranksep] = compact ? [14, 26] : [26, 30];
  paper.setGraph({ rankdir: "TB", nodesep, ranksep, marginx: 10, marginy: 10 });
  paper.setDefaultEdgeLabel(() => ({}));
  const boxes = new Map(graph.nodes.map((node) => [node.turn, boxOf(node, conversation, compact)]));
  for (const [turn, box] of boxes) {
    paper.setNode(String(turn), { width: box.width, height: box.height });
  }
  for (const edge of graph.edges) {
    paper.setEdge(String(edge.dependent), String(edge.source), {
      width: compact ? 0 : 44,
      height: compact ? 0 : 16,
      labelpos: "c",
      weight: 1 + Math.round(edge.score * 3),
    });
  }
  runLayout(paper);
  for (const [turn, box] of boxes) {
    const place = paper.node(String(turn)) as { x: number; y: number };
    box.x = place.x - box.width / 2;
    box.y = place.y - box.height / 2;
  }
  const best = Math.max(0, ...graph.edges.filter(isScored).map((edge) => edge.score));
  const lines = graph.edges.map((edge) => {
    const place = paper.edge(String(edge.dependent), String(edge.source)) as {
      points: Point[];
      x?: number;
      y?: number;
    };
    return {
      edge,
      path: curve(place.points),
      label: compact ? "" : edgeLabel(edge),
      labelX: place.x ?? 0,
      labelY: place.y ?? 0,
      width: isScored(edge) && best > 0 ? 1.2 + 4.3 * (edge.score / best) : 1.6,
    };
  });
  const size = paper.graph() as { width: number; height: number };
  return { boxes: [...boxes.values()], lines, width: size.width, height: size.height };
}

const CONFIRMATIONS = { confirmed: " ✓", weak: " ~", "not confirmed": " ✗" };

/** The score, if there is one, and, where the edge was put to the test, how that went. */
export function edgeLabel(edge: GraphEdge): string {
  if (edge.kind === "structural") return "call";
  if (edge.annotated) return "";
  return number(edge.score) + (edge.confirmation ? CONFIRMATIONS[edge.confirmation] : "");
}

function isScored(edge: GraphEdge): boolean {
  return edge.kind === "attribution" && !edge.annotated;
}

function boxOf(node: GraphNode, conversation: Conversation, compact: boolean): Box {
  const turn = conversation.turns[node.turn];
  const mono = node.role === "tool";
  const lines = turn && !compact ? wrap(quote(turn.text, node.spans, 150), mono) : [];
  return {
    node,
    x: 0,
    y: 0,
    width: compact ? COMPACT_WIDTH : WIDTH,
    height:
      TITLE_HEIGHT +
      10 +
      lines.length * LINE_HEIGHT +
      (node.stop && !compact ? FOOT : 0) +
      (lines.length ? 6 : 0),
    title: `Turn ${node.turn}`,
    subtitle: turn?.name && !compact ? excerpt(`${node.role} ${shown(turn.name)}`, 24) : node.role,
    lines,
  };
}

/** Text in lines that fit a box. */
function wrap(text: string, mono: boolean): string[] {
  const fits = (line: string) => widthOf(line, mono) <= WIDTH - 2 * PADDING;
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    let rest = word;
    while (rest) {
      const joined = line ? `${line} ${rest}` : rest;
      if (fits(joined)) {
        line = joined;
        rest = "";
      } else if (line) {
        lines.push(line);
        line = "";
      } else {
        let end = rest.length - 1;
        while (end > 1 && !fits(rest.slice(0, end))) end -= 1;
        lines.push(rest.slice(0, end));
        rest = rest.slice(end);
      }
    }
  }
  if (line) lines.push(line);
  if (lines.length <= QUOTE_LINES) return lines;
  let last = lines[QUOTE_LINES - 1] as string;
  while (last && !fits(`${last}…`)) last = last.slice(0, -1).trimEnd();
  return [...lines.slice(0, QUOTE_LINES - 1), `${last}…`];
}

const FONTS = { mono: "10.8px monospace", sans: "12px sans-serif" };
let pen: CanvasRenderingContext2D | null | undefined;

/** How wide a line is drawn; outside a browser, roughly. */
function widthOf(line: string, mono: boolean): number {
  if (pen === undefined) {
    pen =
      typeof document === "undefined" ? null : document.createElement("canvas").getContext("2d");
    const font = pen && getComputedStyle(document.body);
    if (font) {
      FONTS.sans = `12px ${font.fontFamily}`;
      FONTS.mono = `10.8px ${font.getPropertyValue("--mono") || "monospace"}`;
    }
  }
  if (!pen) return line.length * (mono ? 6.5 : 6.2);
  pen.font = mono ? FONTS.mono : FONTS.sans;
  return pen.measureText(line).width;
}

interface Point {
  x: number;
  y: number;
}

/** A smooth path through the points, leaving and arriving vertically. */
function curve(points: Point[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  let path = `M${at(first)}`;
  let from = first;
  for (const to of rest) {
    const middle = (from.y + to.y) / 2;
    path += ` C${at({ x: from.x, y: middle })} ${at({ x: to.x, y: middle })} ${at(to)}`;
    from = to;
  }
  return path;
}

function at(point: Point): string {
  return `${point.x.toFixed(1)},${point.y.toFixed(1)}`;
}
