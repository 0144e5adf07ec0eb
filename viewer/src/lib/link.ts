/** The address of what is on the screen, as the part of the URL after `#`. Offsets: code points. */

import type { WireView } from "./wire";

export interface Link {
  /** On a served page: which conversation, or which run. */
  conversation: string | null;
  run: string | null;
  turn: number | null;
  span: { start: number; end: number } | null;
  backend: string | null;
  against: string | null;
  view: Partial<WireView>;
  flat: boolean;
  focus: number | null;
  mode: string | null;
}

export const NOWHERE: Link = {
  conversation: null,
  run: null,
  turn: null,
  span: null,
  backend: null,
  against: null,
  view: {},
  flat: false,
  focus: null,
  mode: null,
};

export function parseLink(hash: string): Link {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const whole = (name: string) => {
    const value = given.get(name);
    return value !== null && /^\d{1,9}$/.test(value) ? Number(value) : null;
  };
  const range = /^(\d{1,9})-(\d{1,9})$/.exec(given.get("span") ?? "");
  const alpha = Number(given.get("alpha") ?? Number.NaN);
  const k = given.get("k");
  const depth = given.get("depth");
  const view: Partial<WireView> = {};
  if (alpha >= 0 && alpha <= 1) view.alpha = alpha;
  if (k !== null) view.top_k = whole("k") || null;
  if (depth !== null) view.max_depth = whole("depth") || null;
  return {
    conversation: given.get("c"),
    run: given.get("run"),
    turn: whole("turn"),
    span: range ? { start: Number(range[1]), end: Number(range[2]) } : null,
    backend: given.get("method"),
    against: given.get("against"),
    view,
    flat: given.get("flat") === "1",
    focus: whole("at"),
    mode: given.get("show"),
  };
}

export function formatLink(link: Link): string {
  const out = new URLSearchParams();
  const put = (name: string, value: string | number | null | undefined) => {
    if (value !== null && value !== undefined) out.set(name, String(value));
  };
  put("run", link.run);
  put("c", link.conversation);
  put("turn", link.turn);
  put("span", link.span && `${link.span.start}-${link.span.end}`);
  put("method", link.backend);
  put("against", link.against);
  put("alpha", link.view.alpha);
  if (link.view.top_k !== undefined) put("k", link.view.top_k ?? "all");
  if (link.view.max_depth !== undefined) put("depth", link.view.max_depth ?? "all");
  if (link.flat) put("flat", 1);
  put("at", link.focus);
  put("show", link.mode);
  return out.size > 0 ? `#${out.toString()}` : "";
}
