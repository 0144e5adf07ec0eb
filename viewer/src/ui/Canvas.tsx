/** Where the graph is looked at: fitted to its room, larger or smaller on demand. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { draw } from "../lib/layout";
import type { Conversation, Graph } from "../lib/model";
import { GraphView } from "./GraphView";
import type { WorkspaceState } from "./useWorkspace";

const SMALLEST = 0.62;
const LARGEST = 1.1;
/** A tall graph is scrolled rather than made smaller than this. */
const READABLE = 0.72;

export function Canvas({
  graph,
  conversation,
  state,
}: {
  graph: Graph;
  conversation: Conversation;
  state: WorkspaceState;
}) {
  const drawing = useMemo(() => draw(graph, conversation), [graph, conversation]);
  const room = useRef<HTMLDivElement>(null);
  const [fit, setFit] = useState(1);
  const [zoom, setZoom] = useState(1);
  useLayoutEffect(() => {
    const element = room.current;
    if (!element) return;
    const measure = () => {
      const wide = (element.clientWidth - 16) / drawing.width;
      const tall = (element.clientHeight - 48) / drawing.height;
      setFit(Math.max(SMALLEST, Math.min(LARGEST, wide, Math.max(tall, READABLE))));
    };
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [drawing.width, drawing.height]);
  const focus = state.path.at(-1);
  useEffect(() => {
    if (focus === undefined) return;
    room.current
      ?.querySelector(`[data-node="${focus}"]`)
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [focus]);
  const scale = fit * zoom;
  return (
    <div class="canvas-holder">
      <div class="canvas" ref={room} style={{ "--scale": scale }}>
        <div
          class="sheet"
          style={{ width: `${drawing.width * scale}px`, height: `${drawing.height * scale}px` }}
        >
          <GraphView
            graph={graph}
            conversation={conversation}
            drawing={drawing}
            hot={state.hot}
            path={state.path}
            label={`Provenance graph of the claim in turn ${graph.target.turn}, latest turn on top`}
            onHover={state.hover}
            onOpen={state.open}
          />
        </div>
      </div>
      <div class="zoom" role="group" aria-label="Size of the graph">
        <button type="button" aria-label="Smaller" onClick={() => setZoom(zoom / 1.2)}>
          −
        </button>
        <button type="button" aria-label="Fit" onClick={() => setZoom(1)}>
          {Math.round(scale * 100)}%
        </button>
        <button type="button" aria-label="Larger" onClick={() => setZoom(zoom * 1.2)}>
          +
        </button>
      </div>
    </div>
  );
}
