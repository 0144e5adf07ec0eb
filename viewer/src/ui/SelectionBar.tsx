/** What to do with text that has been chosen but not traced yet. */

import { handOut } from "../lib/handout";
import type { Conversation } from "../lib/model";
import type { Selected } from "../lib/selection";
import { excerpt } from "../lib/text";

export function SelectionBar({
  chosen,
  conversation,
  onTrace,
  onClose,
  onSaid,
}: {
  chosen: Selected;
  conversation: Conversation;
  onTrace: ((selected: Selected) => void) | null;
  onClose: () => void;
  onSaid: (message: string) => void;
}) {
  const turn = conversation.turns[chosen.turn];
  if (!turn) return null;
  const start = turn.offsets.toCodePoints(chosen.start);
  const end = turn.offsets.toCodePoints(chosen.end);
  const command = `tokengeist trace FILE --turn ${chosen.turn} --chars ${start}:${end} --html trace.html`;
  return (
    <section class="selection-bar" aria-label="Chosen text">
      <q>{excerpt(turn.text.slice(chosen.start, chosen.end), 80)}</q>
      {onTrace ? (
        <button type="button" class="primary" onClick={() => onTrace(chosen)}>
          Trace it
        </button>
      ) : (
        <>
          <span class="muted">This page is a file. To trace it, run</span>
          <code>{command}</code>
          <button
            type="button"
            class="quiet"
            onClick={async () => {
              onSaid(`Command ${await handOut(command, "command.txt")}`);
              onClose();
            }}
          >
            Copy
          </button>
        </>
      )}
      <button type="button" class="quiet icon" aria-label="Close" onClick={onClose}>
        ×
      </button>
    </section>
  );
}
