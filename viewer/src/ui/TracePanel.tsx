/** The right side: the graph of the chosen claim, and everything said about it. */

import type { ComponentChildren } from "preact";
import { isOver, type Job, said } from "../lib/jobs";
import { type Conversation, GOLD, type Graph, type Trace } from "../lib/model";
import { targetKey, targetsOf } from "../lib/targets";
import { plural, quote } from "../lib/text";
import { Canvas } from "./Canvas";
import { Chain } from "./Chain";
import { Compare } from "./Compare";
import { Controls } from "./Controls";
import { Handouts } from "./Handouts";
import { Units } from "./Units";
import type { Mode, WorkspaceState } from "./useWorkspace";
import { Walkthrough } from "./Walkthrough";

export function TracePanel({
  conversation,
  traces,
  jobs,
  state,
  empty,
  page,
  onVerify,
  onCancel,
  onSaid,
}: {
  conversation: Conversation;
  traces: Trace[];
  jobs: Job[];
  state: WorkspaceState;
  /** What to say while nothing has been chosen. */
  empty: string;
  page: string | null;
  onVerify: ((trace: Trace, graph: Graph) => void) | null;
  onCancel: ((job: Job) => void) | null;
  onSaid: (message: string) => void;
}) {
  const { target, trace, graph } = state;
  const targets = targetsOf(traces);
  return (
    <section class="panel" aria-label="Where it came from">
      <header class="panel-head">
        <div class="tabs" role="tablist" aria-label="What to show">
          {(["graph", "steps", "compare"] as Mode[]).map((mode) => (
            <button
              key={mode}
              type="button"
              role="tab"
              aria-selected={state.mode === mode}
              disabled={!trace}
              onClick={() => state.setMode(mode)}
            >
              {{ graph: "Graph", steps: "Walk-through", compare: "Compare" }[mode]}
            </button>
          ))}
        </div>
        {trace?.wire && graph && (
          <Handouts
            trace={trace}
            graph={graph}
            view={state.flat ? { ...state.view, max_depth: 1 } : state.view}
            conversation={conversation}
            page={page}
            onSaid={onSaid}
          />
        )}
      </header>
      {target && (
        <div class="claim">
          <blockquote>
            {quote(conversation.turns[target.turn]?.text ?? "", target.spans, 220)}
          </blockquote>
          <p class="claim-line">
            <span>turn {target.turn}</span>
            {targets.length > 1 && (
              <label>
                <span class="sr">Traced span</span>
                <select
                  value={targetKey(target)}
                  onChange={(event) => {
                    const chosen = targets.find((t) => t.key === event.currentTarget.value);
                    if (chosen) state.choose(chosen.target);
                  }}
                >
                  {!targets.some((t) => t.key === targetKey(target)) && (
                    <option value={targetKey(target)}>new span</option>
                  )}
                  {targets.map(({ key, target: t, name }) => (
                    <option key={key} value={key}>
                      {name ? `${name}: ` : ""}turn {t.turn},{" "}
                      {quote(conversation.turns[t.turn]?.text ?? "", t.spans, 48)}
                    </option>
                  ))}
                </select>
              </label>
            )}
            {targets.length > 1 && (
              <span class="muted">{plural(targets.length, "traced span")}</span>
            )}
          </p>
        </div>
      )}
      {jobs
        .filter((job) => !isOver(job) || job.state === "failed")
        .map((job) => (
          <JobLine key={job.id} job={job} onCancel={onCancel} />
        ))}
      {trace && graph ? (
        <Shown conversation={conversation} trace={trace} graph={graph} state={state} />
      ) : (
        <div class="empty">
          <EmptyPicture />
          <p>{jobs.some((job) => !isOver(job)) ? "Tracing." : empty}</p>
        </div>
      )}
      <Method trace={trace} state={state}>
        {onVerify && trace?.wire && graph && canBeVerified(graph) && (
          <button
            type="button"
            class="quiet"
            title="Take the evidence of every shown edge away, and see what the model makes of it"
            disabled={jobs.some((job) => !isOver(job))}
            onClick={() => onVerify(trace, graph)}
          >
            Verify
          </button>
        )}
      </Method>
    </section>
  );
}

/** A trace with what is shown of it. */
interface ShownTrace {
  conversation: Conversation;
  trace: Trace;
  graph: Graph;
  state: WorkspaceState;
}

function Shown(shown: ShownTrace) {
  const { conversation, trace, graph, state } = shown;
  const { mode, hot, hover, open } = state;
  if (mode === "compare") return <Comparing {...shown} />;
  return (
    <>
      {mode === "graph" && (
        <>
          <Chain
            graph={graph}
            conversation={conversation}
            path={state.path}
            onWalk={state.setPath}
            onHover={hover}
          />
          <Canvas graph={graph} conversation={conversation} state={state} />
          <Units units={graph.units} conversation={conversation} onOpen={open} />
        </>
      )}
      {mode === "steps" && (
        <Walkthrough
          trace={trace}
          graph={graph}
          view={state.view}
          conversation={conversation}
          hot={hot}
          onHover={hover}
          onOpen={open}
        />
      )}
      <Sliders {...shown} />
    </>
  );
}

function Comparing(shown: ShownTrace) {
  const { conversation, trace, graph, state } = shown;
  const others = state.methods.filter((method) => method !== trace);
  const { rival, rivalGraph } = state;
  if (!rival || !rivalGraph) {
    return (
      <div class="empty">
        <p>
          Only {trace.backend} has traced this span. Trace it with a second method, or open it from
          a benchmark with gold graphs, to compare.
        </p>
      </div>
    );
  }
  return (
    <>
      {others.length > 1 && (
        <label class="against">
          {trace.backend} against{" "}
          <select
            value={rival.backend}
            onChange={(event) => state.setAgainst(event.currentTarget.value)}
          >
            {others.map((t) => (
              <option key={t.id} value={t.backend}>
                {t.backend}
              </option>
            ))}
          </select>
        </label>
      )}
      <Compare
        left={trace}
        right={rival}
        leftGraph={graph}
        rightGraph={rivalGraph}
        conversation={conversation}
        hot={state.hot}
        onHover={state.hover}
        onOpen={state.open}
      />
      <Sliders {...shown} />
    </>
  );
}

function Sliders({ trace, graph, state }: ShownTrace) {
  return (
    <Controls
      graph={trace.graph}
      shown={graph}
      view={state.view}
      flat={state.flat}
      onView={state.setView}
      onFlat={state.setFlat}
    />
  );
}

function JobLine({ job, onCancel }: { job: Job; onCancel: ((job: Job) => void) | null }) {
  return (
    <div class={`job ${job.state}`} role="status">
      <span>
        <b>{job.backend}</b> {said(job)}
      </span>
      {!isOver(job) && (
        <progress
          aria-label={`Progress of ${job.backend}`}
          {...(job.total > 1 ? { value: job.done, max: job.total } : {})}
        />
      )}
      {onCancel && !isOver(job) && (
        <button type="button" class="quiet" onClick={() => onCancel(job)}>
          Cancel
        </button>
      )}
    </div>
  );
}

/** Whether an edge is shown that a model could test and none has. */
function canBeVerified(graph: Graph): boolean {
  return graph.edges.some((e) => e.kind === "attribution" && !e.annotated && !e.confirmation);
}

function Method({
  trace,
  state,
  children,
}: {
  trace: Trace | null;
  state: WorkspaceState;
  children: ComponentChildren;
}) {
  return (
    <footer class="method">
      {trace && (
        <p>
          Method{" "}
          {state.methods.length > 1 ? (
            <select
              aria-label="Method"
              value={trace.backend}
              onChange={(event) => state.setMethod(event.currentTarget.value)}
            >
              {state.methods.map((t) => (
                <option key={t.id} value={t.backend}>
                  {t.backend}
                </option>
              ))}
            </select>
          ) : (
            <b>{trace.backend}</b>
          )}
          <span class="model">
            {trace.backend === GOLD ? "annotated by people" : (trace.model ?? "no model")}
          </span>
          {children}
        </p>
      )}
      <p class="caveat">
        {trace?.caveat ??
          "Scores say what the attribution method finds salient; they are not proof."}
      </p>
    </footer>
  );
}

function EmptyPicture() {
  return (
    <svg class="empty-picture" viewBox="0 0 120 96" aria-hidden="true">
      <rect x="38" y="4" width="44" height="18" rx="5" />
      <rect x="6" y="40" width="44" height="18" rx="9" />
      <rect x="70" y="40" width="44" height="18" rx="2" />
      <rect x="70" y="74" width="44" height="18" rx="5" />
      <path d="M52,22 C52,32 30,30 30,40 M68,22 C68,32 92,30 92,40" />
      <path class="dashed" d="M92,58 V74" />
    </svg>
  );
}
