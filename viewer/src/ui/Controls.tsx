/** What of the unpruned graph counts: alpha, k, depth, and flat or recursive. */

import { useId } from "preact/hooks";
import type { Graph } from "../lib/model";
import { edgesBySource } from "../lib/prune";
import type { WireView } from "../lib/wire";

export function Controls({
  graph,
  view,
  flat,
  shown,
  onView,
  onFlat,
}: {
  graph: Graph;
  view: WireView;
  flat: boolean;
  /** How much of the graph is shown now. */
  shown: Graph;
  onView: (view: WireView) => void;
  onFlat: (flat: boolean) => void;
}) {
  const widest = Math.max(1, ...[...edgesBySource(graph.edges).values()].map((e) => e.length));
  const deepest = Math.max(1, ...graph.nodes.map((node) => node.depth));
  const k = Math.min(view.top_k ?? widest, widest);
  const depth = flat ? 1 : Math.min(view.max_depth ?? deepest, deepest);
  return (
    <section class="controls" aria-label="What of the graph is shown">
      <fieldset class="switch">
        <legend class="sr">Search</legend>
        {[false, true].map((value) => (
          <label key={String(value)} class={flat === value ? "on" : ""}>
            <input
              type="radio"
              name="flat"
              checked={flat === value}
              onChange={() => onFlat(value)}
            />
            {value ? "Flat" : "Recursive"}
          </label>
        ))}
      </fieldset>
      <Slider
        label="alpha"
        hint="Keep sources scoring at least this share of a turn's best"
        value={view.alpha}
        min={0}
        max={1}
        step={0.01}
        text={view.alpha.toFixed(2)}
        onInput={(alpha) => onView({ ...view, alpha })}
      />
      <Slider
        label="k"
        hint="Most sources kept at one turn"
        value={k}
        min={1}
        max={widest}
        step={1}
        text={k === widest ? `${k} (all)` : String(k)}
        onInput={(value) => onView({ ...view, top_k: value === widest ? null : value })}
      />
      <Slider
        label="depth"
        hint="Most hops from the claim"
        value={depth}
        min={1}
        max={deepest}
        step={1}
        disabled={flat}
        text={flat ? "1" : depth === deepest ? `${depth} (all)` : String(depth)}
        onInput={(value) => onView({ ...view, max_depth: value === deepest ? null : value })}
      />
      <p class="tally" role="status">
        {shown.nodes.length} of {graph.nodes.length} turns, {shown.edges.length} of{" "}
        {graph.edges.length} edges
      </p>
    </section>
  );
}

function Slider({
  label,
  hint,
  value,
  min,
  max,
  step,
  text,
  disabled = false,
  onInput,
}: {
  label: string;
  hint: string;
  value: number;
  min: number;
  max: number;
  step: number;
  text: string;
  disabled?: boolean;
  onInput: (value: number) => void;
}) {
  const id = useId();
  return (
    <div class="slider" title={hint}>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        disabled={disabled || min === max}
        aria-valuetext={`${text}. ${hint}`}
        onInput={(event) => onInput(Number(event.currentTarget.value))}
      />
      <output for={id}>{text}</output>
    </div>
  );
}
