/** One target: its conversation with the gold graph marked in it, the graph, and the verdict. */

import { useEffect, useMemo, useState } from "preact/hooks";
import { graphMarks } from "../lib/marks";
import { conversationOf, traceOf } from "../lib/model";
import { type Selected, selectedSpan } from "../lib/selection";
import { shown } from "../lib/text";
import { Conversation } from "../ui/Conversation";
import { GraphView } from "../ui/GraphView";
import { reveal } from "../ui/reveal";
import { type Entry, type Item, LEVELS, type Level } from "./api";
import { dependenciesOf, graphOf } from "./draft";
import { type Change, Editor } from "./Editor";

const LABELS: Record<Level, string> = {
  correct: "Correct",
  minor: "Minor issues",
  wrong: "Wrong",
};

export function ItemView({
  item,
  entry,
  place,
  editing,
  note,
  canUndo,
  onNote,
  onJudge,
  onUndo,
  onMove,
  onEdit,
  onVersion,
  onAdopt,
  onSave,
  onShow,
}: {
  item: Item;
  entry: Entry;
  place: string;
  editing: boolean;
  note: string;
  canUndo: boolean;
  onNote: (note: string) => void;
  onJudge: (level: Level) => void;
  onUndo: () => void;
  onMove: (by: number) => void;
  onEdit: (editing: boolean) => void;
  onVersion: (digest: string) => void;
  onAdopt: () => void;
  onSave: (change: Change) => Promise<void>;
  /** The conversation is to be seen, on a screen that has room for one thing only. */
  onShow: () => void;
}) {
  const conversation = useMemo(() => conversationOf(item.conversation), [item]);
  const target = useMemo(
    () => traceOf(item.trace, conversation).graph.target,
    [item, conversation],
  );
  const saved = useMemo(
    () => dependenciesOf(item.target.edges, conversation),
    [item, conversation],
  );
  const [draft, setDraft] = useState(saved);
  const [hot, setHot] = useState<number | null>(null);
  const [selected, setSelected] = useState<Selected | null>(null);
  const edges = editing ? draft : saved;
  const graph = useMemo(() => graphOf(target, edges, conversation), [target, edges, conversation]);
  const marks = useMemo(() => graphMarks(graph), [graph]);
  const places = useMemo(
    () =>
      new Map(
        graph.nodes.map((node) => [node.turn, { depth: node.depth, leaf: node.stop !== null }]),
      ),
    [graph],
  );
  useEffect(() => reveal(target.turn, "jump", "mark.target"), [target]);
  useEffect(() => {
    if (!editing) setDraft(saved); // an edit that was given up leaves nothing behind
  }, [editing, saved]);
  const settle = () => setTimeout(() => setSelected(selectedSpan(conversation, () => true)), 0);
  const open = (turn: number) => {
    onShow();
    reveal(turn, "glide");
  };
  return (
    <>
      <main class="conversation" aria-label="Conversation" onPointerUp={settle}>
        <div class="turn-list">
          <Conversation
            conversation={conversation}
            marks={marks}
            places={places}
            hot={hot}
            focus={null}
            address="#"
            onHover={setHot}
            onOpen={open}
          />
        </div>
      </main>
      <aside class="panel verdict" aria-label="Gold graph and verdict">
        <div class="item-head">
          <span class="tag">{place}</span>
          <strong>{item.target.name}</strong>
          {item.target.tags.map((tag) => (
            <span key={tag} class="tag">
              {tag}
            </span>
          ))}
          <span class="muted">{shown(entry.conversation)}</span>
          {entry.is_relabelled && <span class="tag changed">re-labelled</span>}
          {entry.is_waiting && <span class="tag changed">judge again</span>}
        </div>
        {item.versions.length > 1 && (
          <div class="moves" role="group" aria-label="Versions of the graph">
            {item.versions.map(({ digest, owners }) => (
              <button
                key={digest}
                type="button"
                class="quiet"
                aria-pressed={digest === item.digest}
                onClick={() => onVersion(digest)}
              >
                {owners.join(", ")}
              </button>
            ))}
            <kbd>g</kbd>
            {item.digest !== item.gold && (
              <button type="button" class="quiet" onClick={onAdopt}>
                Make it gold <kbd>a</kbd>
              </button>
            )}
          </div>
        )}
        {item.target.comment && <p class="comment">{shown(item.target.comment)}</p>}
        <div class="canvas">
          <GraphView
            graph={graph}
            conversation={conversation}
            hot={hot}
            label={`Gold graph of the claim in turn ${target.turn}`}
            onHover={setHot}
            onOpen={open}
          />
        </div>
        {editing ? (
          <Editor
            item={item}
            conversation={conversation}
            edges={draft}
            selected={selected}
            onSelected={setSelected}
            onEdges={setDraft}
            onCancel={() => onEdit(false)}
            onSave={onSave}
          />
        ) : (
          <div class="judging">
            <label class="note">
              <span>
                Note <kbd>n</kbd>
              </span>
              <textarea
                id="note"
                rows={2}
                value={note}
                onInput={(event) => onNote(event.currentTarget.value)}
              />
            </label>
            <div class="levels" role="group" aria-label="Judgement">
              {LEVELS.map((level, at) => (
                <button
                  key={level}
                  type="button"
                  class={`level ${level}`}
                  aria-pressed={entry.judgement === level}
                  onClick={() => onJudge(level)}
                >
                  {LABELS[level]} <kbd>{at + 1}</kbd>
                </button>
              ))}
            </div>
            <div class="moves">
              <button type="button" class="quiet" onClick={() => onMove(-1)}>
                Previous <kbd>k</kbd>
              </button>
              <button type="button" class="quiet" onClick={() => onMove(1)}>
                Next <kbd>j</kbd>
              </button>
              <button type="button" class="quiet" disabled={!canUndo} onClick={onUndo}>
                Undo <kbd>u</kbd>
              </button>
              <button type="button" class="quiet" onClick={() => onEdit(true)}>
                Edit graph <kbd>e</kbd>
              </button>
            </div>
          </div>
        )}
      </aside>
    </>
  );
}
