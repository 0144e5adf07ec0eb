/** The page as a file: everything it will ever show came with it. */

import { useMemo } from "preact/hooks";
import { parseLink } from "../lib/link";
import { conversationOf, traceOf } from "../lib/model";
import type { FilePage } from "../lib/wire";
import { Brand } from "./Brand";
import { Workspace } from "./Workspace";

export function FileApp({ page }: { page: FilePage }) {
  const conversation = useMemo(() => conversationOf(page.conversation), [page]);
  const traces = useMemo(
    () => page.traces.map((trace) => traceOf(trace, conversation)),
    [page, conversation],
  );
  const link = useMemo(() => parseLink(location.hash), []);
  return (
    <Workspace
      conversation={conversation}
      traces={traces}
      link={link}
      lead={<Brand />}
      tools={page.redacted && <span class="tag">redacted</span>}
      empty="This file holds no trace. Write one with tokengeist trace FILE --html page.html"
      onTrace={null}
    />
  );
}
