/** The claim piece by piece: what each value or statement in it rests on. */

import type { Conversation, Unit } from "../lib/model";
import { excerpt, plural } from "../lib/text";

const MEANING: Record<Unit["verdict"], string> = {
  verbatim: "stands word for word in an earlier turn",
  derived: "follows from earlier values",
  attributed: "the method points to a source, nothing more",
  unsupported: "nothing earlier supports it",
};

export function Units({
  units,
  conversation,
  onOpen,
}: {
  units: Unit[];
  conversation: Conversation;
  onOpen: (turn: number) => void;
}) {
  if (units.length === 0) return null;
  const unsupported = units.filter((unit) => unit.verdict === "unsupported").length;
  return (
    <details class="units" open={units.length <= 4}>
      <summary>
        {plural(units.length, "piece")} of the claim
        {unsupported > 0 && <strong>, {unsupported} unsupported</strong>}
      </summary>
      <ul>
        {units.map((unit) => {
          const text = conversation.turns[unit.turn]?.text ?? "";
          return (
            <li key={unit.span.start}>
              <span class={`verdict ${unit.verdict}`} title={MEANING[unit.verdict]}>
                {unit.verdict}
              </span>
              <q>{excerpt(text.slice(unit.span.start, unit.span.end), 80)}</q>
              {unit.note && <span class="note">{unit.note}</span>}
              {[...new Set(unit.sources.map((source) => source.turn))].map((turn) => (
                <button type="button" class="turn-link" key={turn} onClick={() => onOpen(turn)}>
                  turn {turn}
                </button>
              ))}
            </li>
          );
        })}
      </ul>
    </details>
  );
}
