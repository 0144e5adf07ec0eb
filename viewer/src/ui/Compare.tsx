/** Two graphs of one claim, each turn at the same place in both, and their edges in a list. */

import { useMemo } from "preact/hooks";
import { compare, type Difference, edgeKey, union } from "../lib/compare";
import { draw } from "../lib/layout";
import { type Conversation, GOLD, type Graph, type GraphEdge, type Trace } from "../lib/model";
import { GraphView, type Handlers } from "./GraphView";

const ORDER: Difference[] = ["both", "right", "left"];

export function Compare({
  left,
  right,
  leftGraph,
  rightGraph,
  conversation,
  hot,
  onHover,
  onOpen,
}: {
  left: Trace;
  right: Trace;
  leftGraph: Graph;
  rightGraph: Graph;
  conversation: Conversation;
  hot: number | null;
} & Handlers) {
  const result = useMemo(() => compare(leftGraph, rightGraph), [leftGraph, rightGraph]);
  const drawing = useMemo(
    () => draw(union(leftGraph, rightGraph), conversation, true),
    [leftGraph, rightGraph, conversation],
  );
  const gold = right.backend === GOLD;
  const words: Record<Difference, string> = gold
    ? { both: "right", left: "spurious", right: "missing" }
    : { both: "in both", left: `only ${left.backend}`, right: `only ${right.backend}` };
  const classOf = (edge: GraphEdge) => `diff-${result.edges.get(edgeKey(edge)) ?? "both"}`;
  const listed = [...result.edges].sort(([, a], [, b]) => ORDER.indexOf(a) - ORDER.indexOf(b));
  const percent = (value: number) => (100 * value).toFixed(0);
  return (
    <div class="compare">
      <p class="verdicts" role="status">
        {ORDER.map((kind) => (
          <span key={kind} class={`verdict-count diff-${kind}`}>
            <b>{result.counts[kind]}</b> {words[kind]}
          </span>
        ))}
        {gold && (
          <span class="muted">
            edge precision {percent(result.precision)}, recall {percent(result.recall)}, F1{" "}
            {percent(result.f1)}
          </span>
        )}
      </p>
      <div class="side-by-side">
        {[
          { trace: left, graph: leftGraph },
          { trace: right, graph: rightGraph },
        ].map(({ trace, graph }) => (
          <figure key={trace.id}>
            <figcaption>
              {trace.backend}
              {trace.model && <span class="muted"> · {trace.model}</span>}
            </figcaption>
            <div class="canvas">
              <GraphView
                graph={graph}
                conversation={conversation}
                drawing={drawing}
                hot={hot}
                classOf={classOf}
                label={`Graph by ${trace.backend}`}
                onHover={onHover}
                onOpen={onOpen}
              />
            </div>
          </figure>
        ))}
      </div>
      <ul class="edge-list" aria-label="Edges">
        {listed.map(([key, kind]) => (
          <li key={key} class={`diff-${kind}`}>
            <span class="verdict-word">{words[kind]}</span>
            {key.split(">").map((turn, index) => (
              <span key={turn}>
                {index > 0 && " → "}
                <button type="button" class="turn-link" onClick={() => onOpen(Number(turn))}>
                  turn {turn}
                </button>
              </span>
            ))}
          </li>
        ))}
      </ul>
    </div>
  );
}
