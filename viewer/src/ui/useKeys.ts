/** Everything by keyboard: walk the graph, move between turns, choose a sentence, trace it. */

import { useLayoutEffect } from "preact/hooks";
import type { Conversation } from "../lib/model";
import { edgesBySource } from "../lib/prune";
import type { Selected } from "../lib/selection";
import type { WorkspaceState } from "./useWorkspace";

export const KEYS: [string, string][] = [
  ["/", "search"],
  ["j k", "next and previous turn"],
  [", .", "choose a sentence of the focused assistant turn"],
  ["t", "trace the chosen sentence, or the whole turn"],
  ["↓ ↑", "walk to the best source, and back"],
  ["← →", "other sources of the same turn"],
  ["g w c", "graph, walk-through, compare"],
  ["a", "arrows in the conversation"],
  ["f", "flat or recursive"],
  ["Esc", "back to the claim"],
  ["?", "this list"],
];

export interface KeyActions {
  focusSearch: () => void;
  toggleHelp: () => void;
  toggleArrows: () => void;
  choose: (selected: Selected) => void;
  trace: () => void;
  chosen: Selected | null;
}

export function useKeys(
  conversation: Conversation,
  state: WorkspaceState,
  actions: KeyActions,
): void {
  // Before the next paint, not after it: two quick presses must not both start from the old state.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.metaKey || event.ctrlKey || event.altKey) return;
      if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || target.closest("dialog, [role=menu]"))
        return;
      const act = ACTIONS[event.key];
      if (act?.(conversation, state, actions)) event.preventDefault();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  });
}

type Act = (conversation: Conversation, state: WorkspaceState, actions: KeyActions) => boolean;

const ACTIONS: Record<string, Act> = {
  "/": (_c, _s, { focusSearch }) => yes(focusSearch),
  "?": (_c, _s, { toggleHelp }) => yes(toggleHelp),
  a: (_c, _s, { toggleArrows }) => yes(toggleArrows),
  g: (_c, state) => yes(() => state.setMode("graph")),
  w: (_c, state) => yes(() => state.setMode("steps")),
  c: (_c, state) => yes(() => state.setMode("compare")),
  f: (_c, state) => yes(() => state.setFlat(!state.flat)),
  t: (_c, _s, { trace }) => yes(trace),
  Escape: (_c, state) => yes(() => state.setPath([])),
  j: (conversation) => moveTurn(conversation, 1),
  k: (conversation) => moveTurn(conversation, -1),
  ".": (conversation, _s, actions) => moveSentence(conversation, actions, 1),
  ",": (conversation, _s, actions) => moveSentence(conversation, actions, -1),
  ArrowDown: (_c, state) => walk(state, "down"),
  ArrowUp: (_c, state) => walk(state, "up"),
  ArrowLeft: (_c, state) => walk(state, "left"),
  ArrowRight: (_c, state) => walk(state, "right"),
};

function yes(act: () => void): true {
  act();
  return true;
}

function walk(state: WorkspaceState, way: "down" | "up" | "left" | "right"): boolean {
  const { graph, path, setPath } = state;
  const inGraph = document.activeElement?.closest("svg.graph, .chain");
  if (!graph || (path.length === 0 && !inGraph)) return false;
  const sources = edgesBySource(graph.edges);
  const here = path.length > 0 ? path : [graph.target.turn];
  let next = here;
  if (way === "down") {
    const best = sources.get(here.at(-1) as number)?.[0];
    if (best) next = [...here, best.source];
  } else if (way === "up") {
    if (here.length > 1) next = here.slice(0, -1);
  } else if (here.length > 1) {
    const siblings = (sources.get(here.at(-2) as number) ?? []).map((edge) => edge.source);
    const at = siblings.indexOf(here.at(-1) as number) + (way === "right" ? 1 : -1);
    const sibling = siblings[(at + siblings.length) % siblings.length];
    if (sibling !== undefined) next = [...here.slice(0, -1), sibling];
  }
  setPath(next);
  const turn = next.at(-1);
  requestAnimationFrame(() =>
    document.querySelector<SVGElement>(`svg.graph [data-node="${turn}"]`)?.focus(),
  );
  return true;
}

/** The turn that has the focus, or the first one on the screen. */
function turnInView(): number | null {
  const focused = document.activeElement?.closest<HTMLElement>("[data-turn]");
  if (focused) return Number(focused.dataset.turn);
  for (const element of document.querySelectorAll<HTMLElement>("[data-turn]")) {
    if (element.getBoundingClientRect().bottom > 120) return Number(element.dataset.turn);
  }
  return null;
}

function moveTurn(conversation: Conversation, by: 1 | -1): boolean {
  const focused = document.activeElement?.closest("[data-turn]");
  const here = turnInView();
  if (here === null) return false;
  const next = focused ? here + by : here;
  if (next < 0 || next >= conversation.turns.length) return true;
  const element = document.getElementById(`turn-${next}`);
  element?.focus({ preventScroll: true });
  element?.scrollIntoView({ block: "nearest" });
  return true;
}

const SENTENCE = /[^.!?\n]+(?:[.!?](?!\s|$)[^.!?\n]*)*[.!?]*/g;

function moveSentence(conversation: Conversation, actions: KeyActions, by: 1 | -1): boolean {
  const here = turnInView();
  const turn = here === null ? undefined : conversation.turns[here];
  if (turn?.role !== "assistant") return false;
  const found = [...turn.text.matchAll(SENTENCE)]
    .map((m) => {
      const lead = m[0].length - m[0].trimStart().length;
      return { turn: turn.index, start: m.index + lead, end: m.index + m[0].trimEnd().length };
    })
    .filter((span) => span.end > span.start);
  const { chosen } = actions;
  const at = found.findIndex((s) => chosen?.turn === s.turn && chosen.start === s.start);
  const next =
    found[at < 0 ? (by > 0 ? 0 : found.length - 1) : (at + by + found.length) % found.length];
  if (next) actions.choose(next);
  return true;
}
