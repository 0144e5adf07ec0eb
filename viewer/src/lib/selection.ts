/** From what is selected on the screen to a span of a turn. */

import type { Conversation, Span, Turn } from "./model";

export interface Selected extends Span {
  turn: number;
}

const isAssistant = (turn: Turn) => turn.role === "assistant";

/** The selected text of one turn that may be meant, or null. Shown rows say where they start (`data-o`). */
export function selectedSpan(
  conversation: Conversation,
  isMeant: (turn: Turn) => boolean = isAssistant,
): Selected | null {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  const holder = turnHolding(range.startContainer);
  // A triple click selects up to the very start of whatever comes next.
  if (turnHolding(range.endContainer) !== holder && range.endOffset !== 0) return null;
  const turn = holder && conversation.turns[Number(holder.dataset.turn)];
  if (!holder || !turn || !isMeant(turn)) return null;
  let start = Number.POSITIVE_INFINITY;
  let end = -1;
  for (const piece of holder.querySelectorAll<HTMLElement>("[data-o]")) {
    const text = piece.firstChild;
    if (!text || !range.intersectsNode(text)) continue;
    const offset = Number(piece.dataset.o);
    const length = text.textContent?.length ?? 0;
    const from = range.startContainer === text ? range.startOffset : 0;
    const to = range.endContainer === text ? range.endOffset : length;
    if (to <= from) continue;
    start = Math.min(start, offset + from);
    end = Math.max(end, offset + to);
  }
  if (end <= start) return null;
  const chosen = turn.text.slice(start, end);
  start += chosen.length - chosen.trimStart().length;
  end -= chosen.length - chosen.trimEnd().length;
  return end > start ? { turn: turn.index, start, end } : null;
}

function turnHolding(node: Node): HTMLElement | null {
  const element = node instanceof Element ? node : node.parentElement;
  return element?.closest<HTMLElement>("[data-turn]") ?? null;
}
