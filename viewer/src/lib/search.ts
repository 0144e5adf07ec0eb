/** Finding text in a conversation, whatever is folded. */

import type { Conversation } from "./model";

export interface Match {
  turn: number;
  start: number;
  end: number;
}

export const MOST_MATCHES = 500;

export function search(conversation: Conversation, query: string): Match[] {
  const wanted = query.trim();
  if (!wanted) return [];
  const pattern = new RegExp(wanted.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu");
  const matches: Match[] = [];
  for (const turn of conversation.turns) {
    for (const found of turn.text.matchAll(pattern)) {
      matches.push({ turn: turn.index, start: found.index, end: found.index + found[0].length });
      if (matches.length >= MOST_MATCHES) return matches;
    }
  }
  return matches;
}
