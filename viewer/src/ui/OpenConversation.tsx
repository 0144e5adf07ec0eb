/** A conversation from the server, with its traces and those on their way. */

import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { ask, cancel, fileOf, type Home, opened, verify } from "../lib/api";
import type { Job } from "../lib/jobs";
import type { Link } from "../lib/link";
import { formatLink, NOWHERE } from "../lib/link";
import { type Conversation, conversationOf, type Graph, type Trace, traceOf } from "../lib/model";
import type { Selected } from "../lib/selection";
import type { WireTrace } from "../lib/wire";
import { Brand } from "./Brand";
import { Notice } from "./Notice";
import { Workspace } from "./Workspace";

export function OpenConversation({
  home,
  link,
  jobs,
  fresh,
}: {
  home: Home;
  link: Link;
  jobs: Job[];
  fresh: WireTrace[];
}) {
  const key = link.conversation as string;
  const [start] = useState(link);
  const [found, setFound] = useState<{ conversation: Conversation; traces: WireTrace[] } | null>(
    null,
  );
  const [problem, setProblem] = useState<string | null>(null);
  const [backend, setBackend] = useState(home.backend);
  useEffect(() => {
    opened(key, start.run).then(
      (data) => setFound({ conversation: conversationOf(data.conversation), traces: data.traces }),
      (error: Error) => setProblem(error.message),
    );
  }, [key, start.run]);

  const traces = useMemo(() => {
    if (!found) return [];
    const known = new Map([...found.traces, ...fresh].map((trace) => [trace.id, trace]));
    return [...known.values()].map((trace) => traceOf(trace, found.conversation));
  }, [found, fresh]);
  const own = useMemo(() => jobs.filter((job) => job.conversation === key), [jobs, key]);
  const startTrace = useCallback(
    (selected: Selected) => {
      const offsets = found?.conversation.turns[selected.turn]?.offsets;
      if (!offsets) return;
      ask({
        conversation: key,
        turn: selected.turn,
        start: offsets.toCodePoints(selected.start),
        end: offsets.toCodePoints(selected.end),
        backend,
      }).catch((error: Error) => setProblem(error.message));
    },
    [found, key, backend],
  );

  const startVerification = (trace: Trace, graph: Graph) => {
    const edges = graph.edges.map((e): [number, number] => [e.dependent, e.source]);
    verify({ conversation: key, trace: trace.id, edges }).catch((error: Error) =>
      setProblem(error.message),
    );
  };

  if (problem) return <Notice title="This cannot be shown" text={problem} />;
  if (!found) return <Notice title="" text="Reading the conversation" />;
  const back = start.run ? formatLink({ ...NOWHERE, run: start.run }) : "#";
  return (
    <Workspace
      conversation={found.conversation}
      traces={traces}
      jobs={own}
      link={start}
      preferred={start.run ? null : backend}
      lead={<Brand href={back} />}
      tools={
        <label class="method-choice">
          <span class="muted">Trace with</span>{" "}
          <select value={backend} onChange={(event) => setBackend(event.currentTarget.value)}>
            {home.backends.map((b) => (
              <option key={b.name} value={b.name} title={b.summary}>
                {b.name}
              </option>
            ))}
          </select>
        </label>
      }
      empty="Select any text of an assistant turn to see where it came from."
      page={fileOf(key, start.run)}
      onTrace={startTrace}
      onVerify={start.run ? null : startVerification}
      onCancel={(job) => {
        cancel(job.id).catch((error: Error) => setProblem(error.message));
      }}
    />
  );
}
