/** Changing a gold graph: remove edges, add one from selected text, give one other evidence. */

import { useState } from "preact/hooks";
import type { Conversation } from "../lib/model";
import type { Selected } from "../lib/selection";
import { excerpt, quote } from "../lib/text";
import { type Item, Refusal, type WireDependency } from "./api";
import { type Dependency, dependents, toWire, withEdge } from "./draft";

export interface Change {
  edges: WireDependency[];
  hallucination: boolean;
  corrective: number[];
  comment: string;
}

export function Editor({
  item,
  conversation,
  edges,
  selected,
  onSelected,
  onEdges,
  onCancel,
  onSave,
}: {
  item: Item;
  conversation: Conversation;
  edges: Dependency[];
  selected: Selected | null;
  onSelected: (selected: Selected | null) => void;
  onEdges: (edges: Dependency[]) => void;
  onCancel: () => void;
  onSave: (change: Change) => Promise<void>;
}) {
  const [hallucination, setHallucination] = useState(item.target.tags.includes("hallucination"));
  const [corrective, setCorrective] = useState(new Set(item.target.corrective));
  const [comment, setComment] = useState(item.target.comment);
  const [problems, setProblems] = useState<string[]>([]);
  const textOf = (turn: number) => conversation.turns[turn]?.text ?? "";
  const choices = selected ? dependents(edges, item.target.turn, selected.turn) : [];
  const sources = [...new Set(edges.map((edge) => edge.source))].sort((a, b) => a - b);
  const add = (dependent: number) => {
    if (!selected) return;
    const span = { start: selected.start, end: selected.end };
    onEdges(withEdge(edges, { dependent, source: selected.turn, span }));
  };
  const save = async () => {
    try {
      await onSave({
        edges: toWire(edges, conversation),
        hallucination,
        corrective: [...corrective].filter((turn) => sources.includes(turn)),
        comment,
      });
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      setProblems(error instanceof Refusal && error.problems.length ? error.problems : [said]);
    }
  };
  return (
    <form
      class="editor"
      aria-label="Edit the graph"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <ul class="edges" aria-label="Edges">
        {edges.map((edge) => (
          <li key={`${edge.dependent}>${edge.source}`}>
            <span class="edge-name">
              {edge.dependent} ← {edge.source}
            </span>
            <q>{quote(textOf(edge.source), [edge.span], 90)}</q>
            <button
              type="button"
              class="quiet"
              aria-label={`Remove the edge from turn ${edge.dependent} to turn ${edge.source}`}
              onClick={() => onEdges(edges.filter((other) => other !== edge))}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
      {selected ? (
        <p class="adding">
          <q>{excerpt(textOf(selected.turn).slice(selected.start, selected.end), 60)}</q> of turn{" "}
          {selected.turn} was needed by{" "}
          {choices.map((turn) => (
            <button key={turn} type="button" class="quiet" onClick={() => add(turn)}>
              turn {turn}
            </button>
          ))}
          {choices.length === 0 && "no turn of the graph: it comes after all of them"}
        </p>
      ) : (
        <p class="muted">
          Select text in the conversation to add an edge or to change evidence, or type it:
        </p>
      )}
      <Typed conversation={conversation} onSelected={onSelected} />
      <label>
        <input
          type="checkbox"
          checked={hallucination}
          onChange={(event) => setHallucination(event.currentTarget.checked)}
        />{" "}
        hallucination
      </label>
      {hallucination && (
        <fieldset>
          <legend>Sources that held the truth and were ignored</legend>
          {sources.map((turn) => (
            <label key={turn}>
              <input
                type="checkbox"
                checked={corrective.has(turn)}
                onChange={(event) => {
                  const next = new Set(corrective);
                  if (event.currentTarget.checked) next.add(turn);
                  else next.delete(turn);
                  setCorrective(next);
                }}
              />{" "}
              turn {turn}
            </label>
          ))}
        </fieldset>
      )}
      <label class="note">
        Comment
        <textarea
          rows={2}
          value={comment}
          onInput={(event) => setComment(event.currentTarget.value)}
        />
      </label>
      {problems.length > 0 && (
        <ul class="problems" role="alert">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      <div class="moves">
        <button type="submit" class="primary">
          Save
        </button>
        <button type="button" class="quiet" onClick={onCancel}>
          Cancel
        </button>
        <span class="muted">Tags follow from the graph.</span>
      </div>
    </form>
  );
}

/** Evidence without a mouse: the number of a turn, and text that stands in it. */
function Typed({
  conversation,
  onSelected,
}: {
  conversation: Conversation;
  onSelected: (selected: Selected | null) => void;
}) {
  const [turn, setTurn] = useState("");
  const [text, setText] = useState("");
  const find = (number: string, wanted: string) => {
    setTurn(number);
    setText(wanted);
    const start = wanted && number ? (conversation.turns[+number]?.text.indexOf(wanted) ?? -1) : -1;
    onSelected(start < 0 ? null : { turn: +number, start, end: start + wanted.length });
  };
  const missing = text && !conversation.turns[+turn]?.text.includes(text);
  return (
    <div class="typed">
      <label>
        Turn
        <input
          inputMode="numeric"
          value={turn}
          onInput={(event) => find(event.currentTarget.value, text)}
        />
      </label>
      <label>
        says
        <input
          value={text}
          aria-invalid={missing ? "true" : undefined}
          onInput={(event) => find(turn, event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") event.preventDefault(); // it is not the end of the edit
          }}
        />
      </label>
      {missing && <span class="muted">not in that turn</span>}
    </div>
  );
}
