/** The graph as one drawing: boxes that can be focused, edges whose thickness is their score. */

import { useMemo } from "preact/hooks";
import { edgeKey } from "../lib/compare";
import { type Box, type Drawing, draw, LINE_HEIGHT, PADDING, TITLE_HEIGHT } from "../lib/layout";
import type { Conversation, Graph, GraphEdge } from "../lib/model";
import type { Role, Stop } from "../lib/wire";

export const STOPS: Record<Stop, string> = {
  exogenous: "◆ source",
  depth: "… depth limit",
  "no source": "✕ unsupported",
  "orphan result": "✕ no call found",
};
const CORNERS: Record<Role, number> = { system: 2, user: 18, assistant: 7, tool: 2 };

export interface Handlers {
  onHover: (turn: number | null, edge?: GraphEdge) => void;
  onOpen: (turn: number) => void;
}

export function GraphView({
  graph,
  conversation,
  drawing: given,
  hot = null,
  path = [],
  classOf,
  label,
  onHover,
  onOpen,
}: {
  graph: Graph;
  conversation: Conversation;
  /** A layout to use instead of the graph's own. */
  drawing?: Drawing;
  hot?: number | null;
  path?: number[];
  classOf?: (edge: GraphEdge) => string;
  label: string;
} & Partial<Handlers>) {
  const own = useMemo(() => given ?? draw(graph, conversation), [given, graph, conversation]);
  const nodes = useMemo(() => new Map(graph.nodes.map((node) => [node.turn, node])), [graph]);
  const edges = useMemo(() => new Set(graph.edges.map(edgeKey)), [graph]);
  const steps = new Set(path.slice(1).map((turn, index) => `${path[index]}>${turn}`));
  const lines = own.lines.filter((line) => edges.has(edgeKey(line.edge)));
  const focus = path.at(-1) ?? null;
  return (
    <svg
      class="graph"
      viewBox={`0 0 ${own.width} ${own.height}`}
      width={own.width}
      height={own.height}
      role="group"
      aria-label={label}
    >
      <defs>
        <marker
          id="arrow"
          viewBox="0 0 10 10"
          refX="8.5"
          refY="5"
          markerWidth="11"
          markerHeight="11"
          markerUnits="userSpaceOnUse"
          orient="auto-start-reverse"
        >
          <path class="arrow-head" d="M0,1 L9,5 L0,9 z" />
        </marker>
      </defs>
      {lines.map(({ edge, path: d, width, label: text, labelX, labelY }) => {
        const key = edgeKey(edge);
        const classes = ["edge", edge.kind, classOf?.(edge) ?? ""];
        if (steps.has(key)) classes.push("on-path");
        if (hot === edge.source || hot === edge.dependent) classes.push("near");
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: hovering adds nothing that the boxes do not say
          <g
            key={key}
            class={classes.join(" ")}
            onMouseEnter={() => onHover?.(edge.source, edge)}
            onMouseLeave={() => onHover?.(null)}
          >
            <title>
              {edge.kind === "structural"
                ? `Turn ${edge.dependent} is the result of the call in turn ${edge.source}`
                : `Turn ${edge.dependent} rests on turn ${edge.source}${
                    edge.annotated ? "" : `, score ${edge.score}`
                  }${
                    edge.confirmation ? `; ${edge.confirmation} by taking the evidence away` : ""
                  }`}
            </title>
            <path class="edge-reach" d={d} />
            <path class="edge-line" d={d} stroke-width={width} marker-end="url(#arrow)" />
            {text && (
              <>
                <rect
                  class="edge-paper"
                  x={labelX - 23}
                  y={labelY - 8}
                  width="46"
                  height="16"
                  rx="8"
                />
                <text class="edge-label" x={labelX} y={labelY + 3.5}>
                  {text}
                </text>
              </>
            )}
          </g>
        );
      })}
      {own.boxes.map((box) => {
        const node = nodes.get(box.node.turn);
        if (!node) return null;
        return (
          <BoxView
            key={node.turn}
            box={{ ...box, node }}
            root={node.turn === graph.target.turn}
            hot={hot === node.turn}
            focus={focus === node.turn}
            sources={graph.edges.filter((edge) => edge.dependent === node.turn)}
            onHover={onHover}
            onOpen={onOpen}
          />
        );
      })}
    </svg>
  );
}

function BoxView({
  box,
  root,
  hot,
  focus,
  sources,
  onHover,
  onOpen,
}: {
  box: Box;
  root: boolean;
  hot: boolean;
  focus: boolean;
  sources: GraphEdge[];
  onHover: Handlers["onHover"] | undefined;
  onOpen: Handlers["onOpen"] | undefined;
}) {
  const { node } = box;
  const classes = ["node", node.role];
  if (root) classes.push("root");
  if (hot) classes.push("hot");
  if (focus) classes.push("focus");
  if (node.stop) classes.push(node.stop.replace(" ", "-"), "leaf");
  const rests = sources.map((edge) => `turn ${edge.source}`).join(", ");
  return (
    <g
      class={classes.join(" ")}
      transform={`translate(${box.x.toFixed(1)},${box.y.toFixed(1)})`}
      data-node={node.turn}
      tabIndex={0}
      role="button"
      aria-label={`${box.title}, ${box.subtitle}${root ? ", the claim" : ""}: ${box.lines.join(" ")}${
        node.stop ? `. ${STOPS[node.stop].slice(2)}` : ""
      }${rests ? `. Rests on ${rests}` : ""}`}
      onMouseEnter={() => onHover?.(node.turn)}
      onMouseLeave={() => onHover?.(null)}
      onFocus={() => onHover?.(node.turn)}
      onBlur={() => onHover?.(null)}
      onClick={() => onOpen?.(node.turn)}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          onOpen?.(node.turn);
        }
      }}
    >
      <rect
        class="halo"
        x={-4}
        y={-4}
        width={box.width + 8}
        height={box.height + 8}
        rx={CORNERS[node.role] + 4}
      />
      <rect class="box" width={box.width} height={box.height} rx={CORNERS[node.role]} />
      {node.role === "tool" && <rect class="spine" width={4} height={box.height} />}
      {node.role === "system" && (
        <path class="fold" d={`M${box.width - 14},0 L${box.width},14 L${box.width - 14},14 z`} />
      )}
      <text class="node-title" x={PADDING} y={TITLE_HEIGHT - 3}>
        {box.title}
      </text>
      <text class="node-who" x={PADDING + 10 + box.title.length * 7.3} y={TITLE_HEIGHT - 3}>
        {root && box.lines.length > 0 ? `${box.subtitle} · claim` : box.subtitle}
      </text>
      {box.lines.map((line, index) => (
        <text key={index} class="node-text" x={PADDING} y={TITLE_HEIGHT + 16 + index * LINE_HEIGHT}>
          {line}
        </text>
      ))}
      {node.stop && box.lines.length > 0 && (
        <text class="node-stop" x={PADDING} y={box.height - 10}>
          {STOPS[node.stop]}
        </text>
      )}
    </g>
  );
}
