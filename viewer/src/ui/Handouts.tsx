/** The menu that takes the graph out of the page. */

import { useEffect, useRef, useState } from "preact/hooks";
import { graphFile, handOut, mermaid, png, standaloneSvg } from "../lib/handout";
import type { Conversation, Graph, Trace } from "../lib/model";
import type { WireView } from "../lib/wire";

export function Handouts({
  trace,
  graph,
  view,
  conversation,
  page,
  onSaid,
}: {
  trace: Trace;
  graph: Graph;
  view: WireView;
  conversation: Conversation;
  /** Where the page can be had as a file; null on a page that is one. */
  page: string | null;
  onSaid: (message: string) => void;
}) {
  const [open, setOpen] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    menu.current?.querySelector("button")?.focus();
    const close = (event: Event) => {
      if (
        event instanceof KeyboardEvent
          ? event.key === "Escape"
          : !menu.current?.contains(event.target as Node)
      )
        setOpen(false);
    };
    document.addEventListener("pointerdown", close);
    document.addEventListener("keydown", close);
    return () => {
      document.removeEventListener("pointerdown", close);
      document.removeEventListener("keydown", close);
    };
  }, [open]);
  const drawing = () => {
    const found = document.querySelector<SVGSVGElement>("svg.graph");
    if (!found) throw new Error("there is no graph on the screen");
    return standaloneSvg(found);
  };
  const name = `tokengeist-turn-${graph.target.turn}`;
  const forms: [string, () => Promise<[string | Blob, string]>][] = [
    ["Link", async () => [location.href, `${name}.txt`]],
    ["Mermaid", async () => [mermaid(graph, conversation), `${name}.mmd`]],
    [
      "JSON",
      async () => [
        JSON.stringify(graphFile(trace, graph, view, conversation), null, 2),
        `${name}.json`,
      ],
    ],
    ["SVG", async () => [drawing(), `${name}.svg`]],
    ["PNG", async () => [await png(drawing()), `${name}.png`]],
  ];
  const take = async (label: string, make: () => Promise<[string | Blob, string]>) => {
    setOpen(false);
    try {
      const [content, file] = await make();
      const how = await handOut(content, file);
      onSaid(how === "copied" ? `${label} copied` : `${label} saved as ${file}`);
    } catch (error) {
      onSaid(`${label} failed: ${error instanceof Error ? error.message : error}`);
    }
  };
  return (
    <div class="menu" ref={menu}>
      <button
        type="button"
        class="quiet"
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        Copy <span aria-hidden="true">▾</span>
      </button>
      {open && (
        <div class="menu-items" role="menu">
          {forms.map(([label, make]) => (
            <button key={label} type="button" role="menuitem" onClick={() => take(label, make)}>
              {label}
            </button>
          ))}
          {(page ? [false, true] : []).map((redacted) => (
            <a
              key={redacted}
              role="menuitem"
              href={redacted ? `${page}${page?.includes("?") ? "&" : "?"}redact=yes` : (page ?? "")}
              title={redacted ? "Without e-mail addresses, card numbers and keys" : undefined}
              download="tokengeist.html"
              onClick={() => setOpen(false)}
            >
              {redacted ? "Page as a file, redacted" : "Page as a file"}
            </a>
          ))}
          <button
            type="button"
            role="menuitem"
            onClick={() => {
              setOpen(false);
              setTimeout(print, 50);
            }}
          >
            Print
          </button>
        </div>
      )}
    </div>
  );
}
