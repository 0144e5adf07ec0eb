/** The text of a turn: blocks of rows, folded where they are long, with marks. */

import { memo } from "preact/compat";
import { useMemo, useState } from "preact/hooks";
import { cut, type Mark } from "../lib/marks";
import type { Turn } from "../lib/model";
import { type Block, blocksOf, type Row, visibleRows } from "../lib/rows";
import { plural, shown } from "../lib/text";

/** How many rows one press on a gap opens. */
const REVEAL = 200;

export const TurnText = memo(function TurnText({
  turn,
  marks,
}: {
  turn: Turn;
  marks: readonly Mark[];
}) {
  const blocks = useMemo(() => blocksOf(turn), [turn]);
  if (blocks.length === 0) return <p class="no-text">This turn has no text.</p>;
  return (
    <>
      {blocks.map((block) => (
        <BlockView key={block.start} block={block} text={turn.text} marks={marks} />
      ))}
    </>
  );
});

function BlockView({ block, text, marks }: { block: Block; text: string; marks: readonly Mark[] }) {
  const [open, setOpen] = useState<ReadonlySet<number>>(() => new Set());
  const visible = visibleRows(block, open, marks);
  const folds = block.rows.length > block.head + 1;
  const reveal = (from: number, to: number) => {
    const next = new Set(open);
    for (let i = from; i < Math.min(to, from + REVEAL); i++) next.add(i);
    setOpen(next);
  };
  const body = (
    <>
      {visible.map((item) =>
        typeof item === "number" ? (
          <RowView key={item} row={block.rows[item] as Row} text={text} marks={marks} />
        ) : (
          <button
            type="button"
            class="gap"
            key={`gap${item.from}`}
            onClick={() => reveal(item.from, item.to)}
          >
            <span aria-hidden="true">⋯</span> {plural(item.to - item.from, "more line")}
          </button>
        ),
      )}
      {folds && open.size > 0 && (
        <button type="button" class="gap" onClick={() => setOpen(new Set())}>
          <span aria-hidden="true">⌃</span> fold
        </button>
      )}
    </>
  );
  if (block.kind !== "call") return <div class={`block ${block.kind}`}>{body}</div>;
  const name = { start: block.start, end: block.start + (block.name?.length ?? 0) + 1 };
  const json = block.rows.length > 0 && block.rows.some((row) => row.key > row.start);
  return (
    <div class="block call">
      <div class="call-name">
        <span class="call-word">calls</span>
        <Pieces from={name} text={text} marks={marks} />
      </div>
      <div class={json ? "json" : "call-arguments"}>{body}</div>
      <div class="call-end">
        <Pieces from={{ start: block.end - 1, end: block.end }} text={text} marks={marks} />
      </div>
    </div>
  );
}

function RowView({ row, text, marks }: { row: Row; text: string; marks: readonly Mark[] }) {
  const style = row.indent > 0 ? { paddingLeft: `${row.indent * 1.1}em` } : {};
  return (
    <div class="row" style={style}>
      {row.key > row.start && (
        <span class="key">
          <Pieces from={{ start: row.start, end: row.key }} text={text} marks={marks} />
        </span>
      )}
      {row.key > row.start && text[row.key] !== " " && <span class="space"> </span>}
      <Pieces from={{ start: row.key, end: row.end }} text={text} marks={marks} />
    </div>
  );
}

function Pieces({
  from,
  text,
  marks,
}: {
  from: { start: number; end: number };
  text: string;
  marks: readonly Mark[];
}) {
  return (
    <>
      {cut(from, marks).map((piece) => {
        const words = shown(text.slice(piece.start, piece.end));
        if (piece.kinds.length === 0) {
          return (
            <span key={piece.start} data-o={piece.start}>
              {words}
            </span>
          );
        }
        return (
          <mark
            key={piece.start}
            data-o={piece.start}
            class={piece.kinds.join(" ")}
            {...(piece.title ? { title: piece.title } : {})}
          >
            {words}
          </mark>
        );
      })}
    </>
  );
}
