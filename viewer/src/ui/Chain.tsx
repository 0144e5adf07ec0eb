/** The breadcrumb: the chain from the claim to its source, best edges first. */

import { edgeLabel } from "../lib/layout";
import type { Conversation, Graph } from "../lib/model";
import { extendChain } from "../lib/prune";
import { quote } from "../lib/text";
import { RoleBadge } from "./RoleBadge";

export function Chain({
  graph,
  conversation,
  path,
  onWalk,
  onHover,
}: {
  graph: Graph;
  conversation: Conversation;
  path: number[];
  onWalk: (path: number[]) => void;
  onHover: (turn: number | null) => void;
}) {
  const walked = path.length > 0 ? path : [graph.target.turn];
  const chain = extendChain(graph, walked);
  const nodes = new Map(graph.nodes.map((node) => [node.turn, node]));
  return (
    <nav class="chain" aria-label="Chain from the claim to its source">
      <ol>
        {chain.map((turn, index) => {
          const edge = graph.edges.find(
            (e) => e.dependent === chain[index - 1] && e.source === turn,
          );
          const node = nodes.get(turn);
          const text = conversation.turns[turn]?.text ?? "";
          const current = path.length > 0 && index === walked.length - 1;
          return (
            <li key={turn} class={index < walked.length ? "walked" : "ahead"}>
              {edge && (
                <span class={`hop ${edge.kind}`} aria-hidden="true">
                  {edgeLabel(edge) || "\u00a0"}
                </span>
              )}
              <button
                type="button"
                title={quote(text, node?.spans ?? [], 160)}
                aria-current={current ? "step" : undefined}
                onClick={() => onWalk(chain.slice(0, index + 1))}
                onMouseEnter={() => onHover(turn)}
                onMouseLeave={() => onHover(null)}
              >
                <RoleBadge role={node?.role ?? "tool"} />
                {turn}
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
