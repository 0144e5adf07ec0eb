/** The conversation as a chat. Roles differ in label, shape and layout, not only in colour. */

import { memo } from "preact/compat";
import type { Mark } from "../lib/marks";
import type { Conversation as Model, Turn } from "../lib/model";
import { plural, shown } from "../lib/text";
import { RoleBadge } from "./RoleBadge";
import { TurnText } from "./TurnText";

const NONE: readonly Mark[] = [];

export interface Place {
  depth: number;
  leaf: boolean;
}

export function Conversation({
  conversation,
  marks,
  places,
  hot,
  focus,
  address,
  onHover,
  onOpen,
}: {
  conversation: Model;
  marks: Map<number, Mark[]>;
  /** The turns that are in the graph. */
  places: Map<number, Place>;
  hot: number | null;
  focus: number | null;
  /** What the link to a turn begins with. */
  address: string;
  onHover: (turn: number | null) => void;
  onOpen: (turn: number) => void;
}) {
  const turnAt = (event: Event): number | null => {
    const holder = (event.target as Element).closest<HTMLElement>("[data-turn]");
    return holder ? Number(holder.dataset.turn) : null;
  };
  return (
    // biome-ignore lint/a11y/useKeyWithMouseEvents: focus inside a turn does the same, see onFocusIn
    <ol
      class="turns"
      onMouseOver={(event) => onHover(turnAt(event))}
      onMouseLeave={() => onHover(null)}
      onFocusIn={(event) => onHover(turnAt(event))}
    >
      {conversation.turns.map((turn) => (
        <TurnView
          key={turn.index}
          turn={turn}
          marks={marks.get(turn.index) ?? NONE}
          place={places.get(turn.index) ?? null}
          hot={hot === turn.index && places.has(turn.index)}
          focus={focus === turn.index}
          address={address}
          onOpen={onOpen}
        />
      ))}
    </ol>
  );
}

const TurnView = memo(function TurnView({
  turn,
  marks,
  place,
  hot,
  focus,
  address,
  onOpen,
}: {
  turn: Turn;
  marks: readonly Mark[];
  place: Place | null;
  hot: boolean;
  focus: boolean;
  address: string;
  onOpen: (turn: number) => void;
}) {
  const classes = ["turn", turn.role];
  if (turn.summary) classes.push("summary");
  if (place) classes.push("in-graph");
  if (hot) classes.push("hot");
  if (focus) classes.push("focus");
  const who = turn.summary ? "summary" : turn.role;
  return (
    <li
      class={classes.join(" ")}
      id={`turn-${turn.index}`}
      data-turn={turn.index}
      tabIndex={0}
      aria-label={`Turn ${turn.index}, ${who}${turn.name ? ` ${shown(turn.name)}` : ""}${
        place ? `, in the graph, ${plural(place.depth, "hop")} from the claim` : ""
      }`}
    >
      <header class="turn-head">
        <RoleBadge role={turn.role} />
        <span class="who">{who}</span>
        {turn.name && <span class="name">{shown(turn.name)}</span>}
        {turn.answers && <span class="answers">answers turn {turn.answers.turn}</span>}
        {place && (
          <button type="button" class="in-graph-mark" onClick={() => onOpen(turn.index)}>
            {place.depth === 0 ? "claim" : place.leaf ? "source" : `hop ${place.depth}`}
          </button>
        )}
        <a
          class="index"
          href={`${address}turn=${turn.index}`}
          aria-label={`Link to turn ${turn.index}`}
        >
          {turn.index}
        </a>
      </header>
      <div class="text" dir="auto">
        <TurnText turn={turn} marks={marks} />
      </div>
    </li>
  );
});
