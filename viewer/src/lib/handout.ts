/** The graph in forms that leave the page: Mermaid, the graph file, SVG, PNG. */

import type { Conversation, Graph, Trace } from "./model";
import { quote, shown } from "./text";
import type { Role, WireGraph, WireSpan, WireView } from "./wire";

const SHAPES: Record<Role, [string, string]> = {
  system: ["[/", "/]"],
  user: ["([", "])"],
  assistant: ["[", "]"],
  tool: ["[(", ")]"],
};

/** The same flowchart as `tokengeist trace --mermaid`. */
export function mermaid(graph: Graph, conversation: Conversation): string {
  const lines = ["flowchart TD"];
  for (const node of graph.nodes) {
    const turn = conversation.turns[node.turn];
    const speaker = turn?.name ? `${node.role} ${shown(turn.name)}` : node.role;
    const [opening, closing] = SHAPES[node.role];
    const label = escapeLabel(`turn ${node.turn} · ${speaker}`);
    const text = escapeLabel(quote(turn?.text ?? "", node.spans, 60));
    lines.push(`  t${node.turn}${opening}"${label}<br/>${text}"${closing}`);
  }
  for (const edge of graph.edges) {
    const score = edge.annotated ? "-->" : `-->|${edge.score.toFixed(2)}|`;
    const arrow = edge.kind === "structural" ? "-.->" : score;
    lines.push(`  t${edge.dependent} ${arrow} t${edge.source}`);
  }
  return `${lines.join("\n")}\n`;
}

function escapeLabel(text: string): string {
  return [...text]
    .map((c) => (/[\p{L}\p{N} ·.,:_\-…/]/u.test(c) ? c : `#${c.codePointAt(0)};`))
    .join("");
}

/** The graph file, with the view and what it keeps as they are on the screen. */
export function graphFile(
  trace: Trace,
  shownGraph: Graph,
  view: WireView,
  conversation: Conversation,
): WireGraph | null {
  const { wire } = trace;
  if (!wire) return null;
  const nodes = new Set(shownGraph.nodes.map((node) => node.turn));
  const edges = new Set(shownGraph.edges.map((edge) => `${edge.dependent}>${edge.source}`));
  const quoted = (turn: number, spans: WireSpan[]): WireSpan[] => {
    const points = [...(conversation.turns[turn]?.text ?? "")];
    return spans.map(({ start, end }) => ({ start, end, text: points.slice(start, end).join("") }));
  };
  return {
    ...wire,
    view,
    target: { turn: wire.target.turn, spans: quoted(wire.target.turn, wire.target.spans) },
    nodes: wire.nodes.map((node) => ({
      ...node,
      kept: nodes.has(node.turn),
      spans: quoted(node.turn, node.spans),
    })),
    edges: wire.edges.map((edge) => ({
      ...edge,
      kept: edges.has(`${edge.dependent}>${edge.source}`),
      evidence: quoted(edge.source, edge.evidence),
    })),
  };
}

const PAINT = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
] as const;

/** A drawing with all of its style written into it, so that it looks the same anywhere. */
export function standaloneSvg(drawing: SVGSVGElement): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const originals = [drawing, ...drawing.querySelectorAll<SVGElement>("*")];
  const copies = [copy, ...copy.querySelectorAll<SVGElement>("*")];
  originals.forEach((original, index) => {
    const target = copies[index];
    if (!target) return;
    const style = getComputedStyle(original);
    for (const name of PAINT) target.setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "style", "tabindex", "role"]) target.removeAttribute(name);
  });
  const { width, height } = drawing.viewBox.baseVal;
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  paper.setAttribute("width", String(width));
  paper.setAttribute("height", String(height));
  paper.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copy.insertBefore(paper, copy.firstChild);
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

export async function png(svg: string, scale = 2): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width * scale;
  canvas.height = image.height * scale;
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("this browser cannot draw the picture");
  pen.scale(scale, scale);
  pen.drawImage(image, 0, 0);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"),
  );
}

/** To the clipboard; where that is not allowed (an old browser, `file:`), as a download. */
export async function handOut(content: string | Blob, name: string): Promise<"copied" | "saved"> {
  try {
    if (typeof content === "string") await navigator.clipboard.writeText(content);
    else await navigator.clipboard.write([new ClipboardItem({ [content.type]: content })]);
    return "copied";
  } catch {
    const blob = typeof content === "string" ? new Blob([content]) : content;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    return "saved";
  }
}
