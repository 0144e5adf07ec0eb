/** The spot-check: one target after another, judged by keyboard. */

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Brand } from "../ui/Brand";
import { type Pane, Panes } from "../ui/Panes";
import { reveal } from "../ui/reveal";
import { ThemeSwitch } from "../ui/theme";
import * as api from "./api";
import { ItemView } from "./ItemView";
import { StatisticsView } from "./StatisticsView";

const KEYS: Record<string, api.Level> = { "1": "correct", "2": "minor", "3": "wrong" };

interface Loaded {
  index: number;
  reviewer: string;
  item: api.Item;
}

export function ReviewApp({ reviewer: given }: { reviewer: string }) {
  const [reviewer, setReviewer] = useState(given);
  const [overview, setOverview] = useState<api.Overview | null>(null);
  const [index, setIndex] = useState(() => Number(location.hash.match(/item=(\d+)/)?.[1] ?? 0));
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [note, setNote] = useState("");
  const [editing, setEditing] = useState(false);
  const [counting, setCounting] = useState(location.hash === "#statistics");
  const [pane, setPane] = useState<Pane>("graph");
  const [said, setSaid] = useState("");

  const attempt = useCallback(async (act: () => Promise<void>) => {
    try {
      setSaid("");
      await act();
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error));
    }
  }, []);

  useEffect(() => {
    attempt(async () => setOverview(await api.overview(reviewer)));
  }, [reviewer, attempt]);
  const asked = useRef(0); // answers may arrive in another order than they were asked for
  const load = useCallback(
    async (at: number, version?: string) => {
      asked.current += 1;
      const turn = asked.current;
      const item = await api.open(at, reviewer, version);
      if (turn === asked.current) setLoaded({ index: at, reviewer, item });
    },
    [reviewer],
  );
  useEffect(() => {
    setEditing(false);
    attempt(() => load(index));
  }, [index, load, attempt]);
  useEffect(() => {
    history.replaceState(null, "", counting ? "#statistics" : `#item=${index}`);
  }, [index, counting]);
  // What was loaded for another place in the sample, or for somebody else, must not be judged here.
  const item = loaded?.index === index && loaded.reviewer === reviewer ? loaded.item : null;
  const entry = overview?.items[index];
  useEffect(() => setNote(entry?.note ?? ""), [entry]);

  const total = overview?.items.length ?? 0;
  const move = (by: number) => setIndex(Math.max(0, Math.min(total - 1, index + by)));
  const judge = (judgement: api.Level) =>
    attempt(async () => {
      if (!item) return;
      const { digest } = item;
      const after = await api.judge({ reviewer, item: index, judgement, note, digest });
      setOverview(after);
      const next = after.items.findIndex((other, at) => at > index && !other.judgement);
      if (next >= 0) setIndex(next);
      else {
        await load(index); // now other versions may be seen
        setSaid(after.items.every((other) => other.judgement) ? "Everything is judged." : "");
      }
    });
  const undo = () =>
    attempt(async () => {
      const after = await api.undo(reviewer);
      setOverview(after);
      if (after.undone === null) return;
      await load(after.undone);
      setIndex(after.undone);
    });
  const nextVersion = () => {
    const digests = item?.versions.map((version) => version.digest) ?? [];
    const next = digests[(digests.indexOf(item?.digest ?? "") + 1) % digests.length];
    if (next) attempt(() => load(index, next));
  };
  const changed = ({ item: fresh, ...after }: api.Overview & { item: api.Item }) => {
    setOverview(after);
    setLoaded({ index, reviewer, item: fresh });
    setEditing(false);
  };
  const adopt = () =>
    attempt(async () => {
      if (!item || item.digest === item.gold || item.versions.length === 0) return;
      const { digest, gold } = item;
      changed(await api.adopt({ reviewer, item: index, digest, gold }));
    });

  // Before the next key can be pressed, so that it meets what is on the screen.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const field = (event.target as Element).closest("input, textarea, select");
      if (event.key === "Escape" && field instanceof HTMLElement) field.blur();
      if (field || event.ctrlKey || event.metaKey || event.altKey) return;
      const level = KEYS[event.key];
      if (event.key === "s") setCounting(!counting);
      else if (counting) return;
      else if (event.key === "e" || (editing && event.key === "Escape")) setEditing(!editing);
      else if (editing) return;
      else if (level) judge(level);
      else if (event.key === "u") undo();
      else if (event.key === "g") nextVersion();
      else if (event.key === "a") adopt();
      else if (event.key === "j" || event.key === "ArrowRight") move(1);
      else if (event.key === "k" || event.key === "ArrowLeft") move(-1);
      else if (event.key === "n") {
        event.preventDefault();
        document.getElementById("note")?.focus();
      }
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });

  const done = overview?.items.filter((other) => other.judgement).length ?? 0;
  return (
    <div class={`workspace review show-${pane}`}>
      <header class="top">
        <Brand />
        <h1>{overview?.data}</h1>
        <label class="reviewer">
          Reviewer
          <input
            value={reviewer}
            onChange={(event) => setReviewer(event.currentTarget.value.trim())}
          />
        </label>
        <span class="progress" role="status">
          {done} of {total} judged
        </span>
        <button
          type="button"
          class="quiet"
          aria-pressed={counting}
          onClick={() => setCounting(!counting)}
        >
          Statistics
        </button>
        <ThemeSwitch />
      </header>
      {counting ? (
        <StatisticsView />
      ) : (
        item &&
        entry && (
          <ItemView
            key={`${index} ${item.digest}`}
            item={item}
            entry={entry}
            place={`${index + 1} of ${total}`}
            editing={editing}
            note={note}
            canUndo={overview?.can_undo ?? false}
            onNote={setNote}
            onJudge={judge}
            onUndo={undo}
            onMove={move}
            onEdit={setEditing}
            onVersion={(digest) => attempt(() => load(index, digest))}
            onAdopt={adopt}
            onShow={() => setPane("conversation")}
            onSave={async (change) =>
              changed(await api.edit({ ...change, reviewer, item: index, digest: item.digest }))
            }
          />
        )
      )}
      {!counting && (
        <Panes
          pane={pane}
          graph="Graph and verdict"
          onPane={(next) => {
            setPane(next);
            if (next === "conversation") reveal(item?.target.turn ?? null, "jump", "mark.target");
          }}
        />
      )}
      {said && (
        <p class="said" role="alert">
          {said}
        </p>
      )}
    </div>
  );
}
