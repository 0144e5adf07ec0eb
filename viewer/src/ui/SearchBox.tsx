/** Search in the conversation; Enter goes on, Shift+Enter back. */

import type { RefObject } from "preact";
import { MOST_MATCHES } from "../lib/search";

export function SearchBox({
  field,
  query,
  count,
  position,
  onQuery,
  onMove,
}: {
  field: RefObject<HTMLInputElement | null>;
  query: string;
  count: number;
  position: number;
  onQuery: (query: string) => void;
  onMove: (by: 1 | -1) => void;
}) {
  const total = count >= MOST_MATCHES ? `${count}+` : String(count);
  return (
    <search class="search">
      <input
        ref={field}
        type="search"
        placeholder="Search the conversation"
        aria-label="Search the conversation"
        value={query}
        onInput={(event) => onQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            event.preventDefault();
            onMove(event.shiftKey ? -1 : 1);
          } else if (event.key === "Escape") {
            onQuery("");
            event.currentTarget.blur();
          }
        }}
      />
      <span class="search-count" role="status">
        {query.trim() ? count > 0 ? `${position + 1} / ${total}` : "none" : <kbd>/</kbd>}
      </span>
    </search>
  );
}
