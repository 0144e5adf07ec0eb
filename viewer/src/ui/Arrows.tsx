/** Arrows inside the conversation, as in the paper's first figure: flat left, recursive right. */

import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Graph, GraphEdge } from "../lib/model";

interface Anchor {
  top: number;
  left: number;
  right: number;
}

const LANE = 9;
const LANES = 6;

export function Arrows({
  holder,
  flat,
  recursive,
  hot,
}: {
  /** The list of turns; the drawing lies over it. */
  holder: RefObject<HTMLElement | null>;
  flat: Graph;
  recursive: Graph;
  hot: number | null;
}) {
  const [anchors, setAnchors] = useState<Map<number, Anchor>>(new Map());
  useEffect(() => {
    const list = holder.current;
    if (!list) return;
    const turns = new Set([...flat.nodes, ...recursive.nodes].map((node) => node.turn));
    const measure = () => {
      const found = new Map<number, Anchor>();
      const origin = list.getBoundingClientRect();
      for (const turn of turns) {
        const element = list.querySelector<HTMLElement>(`[data-turn="${turn}"]`);
        const mark = element?.querySelector("mark.target, mark.evidence");
        if (!element) continue;
        const box = element.getBoundingClientRect();
        const line = (
          mark ??
          element.querySelector(".turn-head") ??
          element
        ).getBoundingClientRect();
        found.set(turn, {
          top: line.top + Math.min(line.height, 26) / 2 - origin.top,
          left: box.left - origin.left,
          right: box.right - origin.left,
        });
      }
      setAnchors(found);
    };
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(list);
    for (const child of list.querySelectorAll("[data-turn]")) watcher.observe(child);
    return () => watcher.disconnect();
  }, [holder, flat, recursive]);
  const height = holder.current?.scrollHeight ?? 0;
  const width = holder.current?.clientWidth ?? 0;
  return (
    <svg class="arrows" width={width} height={height} aria-hidden="true">
      <defs>
        {["flat", "recursive"].map((kind) => (
          <marker
            key={kind}
            id={`tip-${kind}`}
            viewBox="0 0 10 10"
            refX="9"
            refY="5"
            markerWidth="8"
            markerHeight="8"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path class={`tip ${kind}`} d="M0,1 L9,5 L0,9 z" />
          </marker>
        ))}
      </defs>
      <Side kind="flat" edges={flat.edges} anchors={anchors} hot={hot} />
      <Side kind="recursive" edges={recursive.edges} anchors={anchors} hot={hot} />
    </svg>
  );
}

function Side({
  kind,
  edges,
  anchors,
  hot,
}: {
  kind: "flat" | "recursive";
  edges: GraphEdge[];
  anchors: Map<number, Anchor>;
  hot: number | null;
}) {
  // Short arrows run inside, long ones outside, so that they cross as little as they can.
  const ordered = [...edges].sort((a, b) => a.dependent - a.source - (b.dependent - b.source));
  return (
    <>
      {ordered.map((edge, index) => {
        const from = anchors.get(edge.dependent);
        const to = anchors.get(edge.source);
        if (!from || !to) return null;
        const out = 14 + (index % LANES) * LANE;
        const side = kind === "flat" ? -1 : 1;
        const x1 = kind === "flat" ? from.left : from.right;
        const x2 = kind === "flat" ? to.left : to.right;
        const lane = (kind === "flat" ? Math.min(x1, x2) : Math.max(x1, x2)) + side * out;
        const bend = Math.min(14, Math.abs(from.top - to.top) / 2);
        const near = hot === edge.source || hot === edge.dependent;
        return (
          <path
            key={`${edge.dependent}>${edge.source}`}
            class={`arrow ${kind} ${edge.kind}${near ? " near" : ""}`}
            d={`M${x1},${from.top - 3} H${lane - side * bend} Q${lane},${from.top - 3} ${lane},${
              from.top - 3 - bend
            } V${to.top + 3 + bend} Q${lane},${to.top + 3} ${lane - side * bend},${to.top + 3} H${x2 + side * 3}`}
            marker-end={`url(#tip-${kind})`}
          />
        );
      })}
    </>
  );
}
