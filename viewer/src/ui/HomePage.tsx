/** All conversations that were opened, with search; more are fetched as the list is scrolled. */

import { useEffect, useRef, useState } from "preact/hooks";
import { conversations, type Home, type Listing } from "../lib/api";
import { formatLink, NOWHERE } from "../lib/link";
import { plural, shown } from "../lib/text";
import { Brand } from "./Brand";
import { ThemeSwitch } from "./theme";

const AGAIN = 700;
const FEW = 4;

export function HomePage({ home }: { home: Home }) {
  const [query, setQuery] = useState("");
  const [listing, setListing] = useState<Listing | null>(null);
  const [wanted, setWanted] = useState(1);
  const end = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => {
    let over = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const fetchAll = async () => {
      const first = await conversations(query, 0);
      const items = [...first.items];
      while (items.length < first.total && items.length < wanted * 100) {
        const more = await conversations(query, items.length);
        if (more.items.length === 0) break;
        items.push(...more.items);
      }
      if (over) return;
      setListing({ ...first, items });
      if (!first.whole) timer = setTimeout(fetchAll, AGAIN);
    };
    timer = setTimeout(fetchAll, query ? 120 : 0);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [query, wanted]);

  const rest = listing ? listing.total - listing.items.length : 0;
  useEffect(() => {
    const element = end.current;
    if (!element || rest <= 0) return;
    const watcher = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) setWanted((pages) => pages + 1);
    });
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [rest]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === "/" && document.activeElement !== field.current) {
        event.preventDefault();
        field.current?.focus();
      }
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);

  return (
    <div class="home">
      <header class="top">
        <Brand />
        <span class="spring" />
        <ThemeSwitch />
      </header>
      <main>
        <h1>Which answer do you want to trace?</h1>
        <input
          ref={field}
          class="home-search"
          type="search"
          placeholder="Search by id, file or first words"
          aria-label="Search the conversations"
          value={query}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setWanted(1);
          }}
        />
        {home.runs.length > 0 && !query && <Runs runs={home.runs} />}
        {listing && (
          <p class="muted count" role="status">
            {plural(listing.total, "conversation")}
            {!listing.whole && ", still looking through the files"}
            {listing.skipped_total > 0 &&
              `, ${plural(listing.skipped_total, "file")} without a conversation`}
          </p>
        )}
        <ul class="listing">
          {listing?.items.map((item) => (
            <li key={item.key}>
              <a href={formatLink({ ...NOWHERE, conversation: item.key })}>
                <span class="listing-id">{shown(item.id)}</span>
                <span class="listing-turns">{item.turns > 0 && plural(item.turns, "turn")}</span>
                <span class="listing-preview" dir="auto">
                  {shown(item.preview)}
                </span>
                <span class="listing-file">{shown(item.file)}</span>
              </a>
            </li>
          ))}
        </ul>
        {listing?.whole && listing.total === 0 && (
          <p class="nothing">
            {query
              ? "No conversation matches."
              : "No conversation was found in what was opened. Formats: tokengeist serve --help."}
          </p>
        )}
        <div ref={end} />
        {listing && listing.skipped.length > 0 && listing.whole && !query && (
          <details class="skipped">
            <summary>{plural(listing.skipped_total, "file")} without a conversation</summary>
            <ul>
              {listing.skipped.map((file) => (
                <li key={file.file}>
                  <b>{shown(file.file)}</b> {shown(file.reason)}
                </li>
              ))}
            </ul>
          </details>
        )}
      </main>
    </div>
  );
}

function Runs({ runs }: { runs: Home["runs"] }) {
  return (
    <details class="runs" open={runs.length <= FEW}>
      <summary>{plural(runs.length, "benchmark run")}</summary>
      <ul class="listing">
        {runs.map((run) => (
          <li key={run.key}>
            <a href={formatLink({ ...NOWHERE, run: run.key })}>
              <span class="listing-id">{shown(run.name)}</span>
              <span class="listing-turns">{run.backend}</span>
              <span class="listing-preview">over {shown(run.data)}</span>
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
