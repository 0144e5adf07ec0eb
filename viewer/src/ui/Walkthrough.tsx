/** The paper's three stages for the trace at hand: inputs, each recursion step, the final graph. */

import type { ComponentChildren } from "preact";
import type { Conversation, Graph, Step, Trace } from "../lib/model";
import { number, plural, quote } from "../lib/text";
import type { WireView } from "../lib/wire";
import { GraphView, type Handlers, STOPS } from "./GraphView";
import { RoleBadge } from "./RoleBadge";

const MOST_BARS = 8;

export function Walkthrough({
  trace,
  graph,
  view,
  conversation,
  hot,
  onHover,
  onOpen,
}: {
  trace: Trace;
  graph: Graph;
  view: WireView;
  conversation: Conversation;
  hot: number | null;
} & Handlers) {
  const { target } = trace.graph;
  const text = conversation.turns[target.turn]?.text ?? "";
  return (
    <div class="walkthrough">
      <Stage number={1} title="Inputs">
        <dl>
          <dt>Conversation</dt>
          <dd>
            {plural(target.turn, "turn")} before turn {target.turn}
          </dd>
          <dt>Claim</dt>
          <dd>
            <q>{quote(text, target.spans, 280)}</q>
          </dd>
          <dt>Attributor</dt>
          <dd>
            {trace.backend}, {trace.model ?? "no model"}
          </dd>
        </dl>
      </Stage>
      <Stage number={2} title={`Recursion: ${plural(trace.steps.length, "step")}`}>
        <p class="legend">
          At an assistant turn the attributor scores every earlier source; a turn scores what its
          best source scores. <b>Filled</b> bars were followed. A tool result leads to its call;
          system and user turns end the search.
        </p>
        <ol class="steps">
          {trace.steps.map((step, index) => (
            <StepView
              key={step.turn}
              step={step}
              index={index + 1}
              kept={graph.nodes.some((node) => node.turn === step.turn)}
              conversation={conversation}
              hot={hot}
              onHover={onHover}
              onOpen={onOpen}
            />
          ))}
        </ol>
      </Stage>
      <Stage
        number={3}
        title={
          view.alpha > 0
            ? `The graph: sources with at least ${Math.round(view.alpha * 100)}% of a turn's best score`
            : "The graph: every source that was followed"
        }
      >
        <div class="canvas">
          <GraphView
            graph={graph}
            conversation={conversation}
            hot={hot}
            label="The final graph"
            onHover={onHover}
            onOpen={onOpen}
          />
        </div>
      </Stage>
    </div>
  );
}

function Stage({
  number: position,
  title,
  children,
}: {
  number: number;
  title: string;
  children: ComponentChildren;
}) {
  return (
    <section class="stage">
      <h3>
        <span class="stage-number">{position}</span>
        {title}
      </h3>
      {children}
    </section>
  );
}

function StepView({
  step,
  index,
  kept,
  conversation,
  hot,
  onHover,
  onOpen,
}: {
  step: Step;
  index: number;
  /** Whether the view keeps this turn. */
  kept: boolean;
  conversation: Conversation;
  hot: number | null;
} & Handlers) {
  const turn = conversation.turns[step.turn];
  if (!turn) return null;
  return (
    // biome-ignore lint/a11y/useKeyWithMouseEvents: the button inside does the same
    <li
      class={`step${hot === step.turn ? " hot" : ""}${kept ? "" : " dropped"}`}
      onMouseOver={() => onHover(step.turn)}
      onMouseLeave={() => onHover(null)}
    >
      <header>
        <span class="step-number">{index}</span>
        <button type="button" class="turn-link" onClick={() => onOpen(step.turn)}>
          <RoleBadge role={turn.role} /> turn {step.turn}
        </button>
        <span class="muted">{said(step)}</span>
        {!kept && <span class="muted">(not in the view)</span>}
      </header>
      {step.question && (
        <p class="question">
          <q>{quote(turn.text, step.question, 180)}</q>
        </p>
      )}
      {step.question && step.candidates.length > 0 && (
        <Bars step={step} conversation={conversation} onOpen={onOpen} />
      )}
      {step.edges
        .filter((edge) => edge.kind === "structural")
        .map((edge) => (
          <p class="structural-hop" key={edge.source}>
            <span aria-hidden="true">╌╌▸</span> the call in{" "}
            <button type="button" class="turn-link" onClick={() => onOpen(edge.source)}>
              turn {edge.source}
            </button>
          </p>
        ))}
    </li>
  );
}

function said(step: Step): string {
  if (step.stop) return STOPS[step.stop].slice(2);
  if (!step.question) return "a tool result: follow its call";
  if (isAnnotated(step)) return `rests on ${plural(step.offered, "earlier turn")}`;
  return step.offered > 0 ? `${plural(step.offered, "earlier turn")} scored` : "";
}

/** Whether people said what this turn rests on: they gave no scores. */
function isAnnotated(step: Step): boolean {
  return step.edges.some((edge) => edge.annotated);
}

function Bars({
  step,
  conversation,
  onOpen,
}: {
  step: Step;
  conversation: Conversation;
  onOpen: Handlers["onOpen"];
}) {
  const followed = new Set(step.edges.map((edge) => edge.source));
  const best = step.candidates[0]?.score || 1;
  const bars = step.candidates.filter((c) => c.score > 0).slice(0, MOST_BARS);
  return (
    <ul class="bars" aria-label={`Scores of earlier turns for turn ${step.turn}`}>
      {bars.map((candidate) => {
        const turn = conversation.turns[candidate.turn];
        const chosen = followed.has(candidate.turn);
        return (
          <li key={candidate.turn} class={chosen ? "followed" : ""}>
            <button
              type="button"
              onClick={() => onOpen(candidate.turn)}
              title={quote(turn?.text ?? "", candidate.evidence, 200)}
            >
              <span class="bar-turn">
                <RoleBadge role={turn?.role ?? "tool"} /> {candidate.turn}
              </span>
              {!isAnnotated(step) && (
                <>
                  <span class="bar-track">
                    <span class="bar" style={{ width: `${(100 * candidate.score) / best}%` }} />
                  </span>
                  <span class="bar-score">{number(candidate.score)}</span>
                </>
              )}
              <span class="sr">{chosen ? "followed" : "not followed"}</span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
