/** A conversation and the graph of what was asked about it, side by side. */

import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isOver, type Job, partialTrace } from "../lib/jobs";
import { formatLink, type Link, NOWHERE } from "../lib/link";
import type { Mark } from "../lib/marks";
import type { Graph, Conversation as Model, Trace } from "../lib/model";
import { type Selected, selectedSpan } from "../lib/selection";
import { shown } from "../lib/text";
import { Arrows } from "./Arrows";
import { Conversation } from "./Conversation";
import { Help } from "./Help";
import { type Pane, Panes } from "./Panes";
import { reveal } from "./reveal";
import { SearchBox } from "./SearchBox";
import { SelectionBar } from "./SelectionBar";
import { TracePanel } from "./TracePanel";
import { ThemeSwitch } from "./theme";
import { useKeys } from "./useKeys";
import { jobsFor, through, useWorkspace } from "./useWorkspace";

export function Workspace({
  conversation,
  traces: finished,
  jobs = [],
  link,
  preferred = null,
  lead,
  tools,
  empty,
  page = null,
  onTrace,
  onVerify = null,
  onCancel = null,
}: {
  conversation: Model;
  traces: Trace[];
  jobs?: Job[];
  link: Link;
  /** The method whose graph is shown where there are several. */
  preferred?: string | null;
  lead?: ComponentChildren;
  tools?: ComponentChildren;
  empty: string;
  /** Where this page can be had as a file. */
  page?: string | null;
  /** Starts a trace; null on a page that cannot. */
  onTrace: ((selected: Selected) => void) | null;
  /** Puts the shown edges of a trace to the test; null on a page that cannot. */
  onVerify?: ((trace: Trace, graph: Graph) => void) | null;
  onCancel?: ((job: Job) => void) | null;
}) {
  const traces = useMemo(() => {
    const running = jobs.filter((job) => !isOver(job) && job.steps.length > 0);
    return [...finished, ...running.map((job) => partialTrace(job, conversation))];
  }, [finished, jobs, conversation]);
  const state = useWorkspace(conversation, traces, link, preferred);
  const { graph, current, path, choose } = state;
  const address = `${formatLink({ ...NOWHERE, conversation: link.conversation, run: link.run }) || "#"}${link.conversation ? "&" : ""}`;
  const [arrows, setArrows] = useState(false);
  const [help, setHelp] = useState(false);
  const [pane, setPane] = useState<Pane>(link.mode ? "graph" : "conversation");
  const [chosen, setChosen] = useState<Selected | null>(null);
  const [said, setSaid] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (state.hash !== location.hash)
      history.replaceState(null, "", state.hash || location.pathname);
  }, [state.hash]);
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => setSaid(""), 3200);
    return () => clearTimeout(timer);
  }, [said]);

  // Bring what is meant into view: the link's place first, then wherever the walk goes.
  const focus = path.at(-1) ?? null;
  const arrived = useRef(false);
  useEffect(() => {
    if (!arrived.current) reveal(focus ?? link.turn ?? state.target?.turn ?? null, "jump");
    else if (focus !== null) reveal(focus, "glide");
    arrived.current = true;
  }, [focus, pane]);
  useEffect(() => {
    if (current) reveal(current.turn, "glide", "mark.current");
  }, [current]);

  const trace = useCallback(
    (selected: Selected) => {
      choose({ turn: selected.turn, spans: [{ start: selected.start, end: selected.end }] });
      setChosen(null);
      setPane("graph");
      onTrace?.(selected);
      getSelection()?.removeAllRanges();
    },
    [choose, onTrace],
  );
  const settle = (event: PointerEvent) => {
    if ((event.target as Element).closest("button, a")) return;
    const mouse = event.pointerType === "mouse";
    setTimeout(() => {
      const selected = selectedSpan(conversation);
      if (selected && mouse && onTrace) trace(selected);
      else setChosen(selected);
    }, 0);
  };
  useEffect(() => {
    // Touch selections grow by handles, without a pointer event of their own.
    const change = () => {
      if (matchMedia("(pointer: coarse)").matches) setChosen(selectedSpan(conversation));
    };
    document.addEventListener("selectionchange", change);
    return () => document.removeEventListener("selectionchange", change);
  }, [conversation]);

  useKeys(conversation, state, {
    chosen,
    choose: setChosen,
    focusSearch: () => field.current?.focus(),
    toggleHelp: () => setHelp(!help),
    toggleArrows: () => setArrows(!arrows),
    trace: () => {
      const holder = document.activeElement?.closest<HTMLElement>("[data-turn]");
      const turn = conversation.turns[Number(holder?.dataset.turn ?? -1)];
      const whole = turn?.role === "assistant" && {
        turn: turn.index,
        start: 0,
        end: turn.text.length,
      };
      const selected = chosen ?? whole;
      if (selected && onTrace) trace(selected);
    },
  });

  const marks = useMemo(() => {
    if (!chosen) return state.marks;
    const mark: Mark = { start: chosen.start, end: chosen.end, kind: "pointed" };
    return new Map(state.marks).set(chosen.turn, [...(state.marks.get(chosen.turn) ?? []), mark]);
  }, [state.marks, chosen]);
  const flat = useMemo(
    () => state.trace && through(state.trace, state.view, true),
    [state.trace, state.view],
  );
  const recursive = useMemo(
    () => state.trace && through(state.trace, state.view, false),
    [state.trace, state.view],
  );
  return (
    <div
      class={`workspace show-${pane}${arrows && graph ? " with-arrows" : ""} mode-${state.mode}`}
    >
      <header class="top">
        {lead}
        <h1 title={shown(conversation.title)}>{shown(conversation.title)}</h1>
        <SearchBox
          field={field}
          query={state.query}
          count={state.matches.length}
          position={state.position}
          onQuery={state.setQuery}
          onMove={state.move}
        />
        <div class="tools">
          {tools}
          <button
            type="button"
            class="quiet wide-only"
            aria-pressed={arrows}
            disabled={!graph}
            onClick={() => setArrows(!arrows)}
          >
            Arrows
          </button>
          <ThemeSwitch />
          <button
            type="button"
            class="quiet icon"
            aria-label="Keyboard shortcuts"
            onClick={() => setHelp(true)}
          >
            ?
          </button>
        </div>
      </header>
      <main class="conversation" aria-label="Conversation" onPointerUp={settle}>
        <div class="turn-list" ref={list}>
          {arrows && graph && (
            <p class="arrow-legend">
              <span>flat</span>
              <span>recursive</span>
            </p>
          )}
          <Conversation
            conversation={conversation}
            marks={marks}
            places={state.places}
            hot={state.hot}
            focus={focus}
            address={address}
            onHover={state.hover}
            onOpen={state.open}
          />
          {arrows && flat && recursive && (
            <Arrows holder={list} flat={flat} recursive={recursive} hot={state.hot} />
          )}
        </div>
      </main>
      <TracePanel
        conversation={conversation}
        traces={traces}
        jobs={jobsFor(jobs, state.target, conversation)}
        state={state}
        empty={empty}
        page={page}
        onVerify={onVerify}
        onCancel={onCancel}
        onSaid={setSaid}
      />
      <Panes pane={pane} graph="Where from" onPane={setPane} />
      {chosen && (
        <SelectionBar
          chosen={chosen}
          conversation={conversation}
          onTrace={onTrace && trace}
          onClose={() => setChosen(null)}
          onSaid={setSaid}
        />
      )}
      {help && <Help onClose={() => setHelp(false)} />}
      <div class="toast" role="status">
        {said}
      </div>
    </div>
  );
}
