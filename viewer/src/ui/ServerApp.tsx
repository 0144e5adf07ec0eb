/** The page with a server behind it: a list, a conversation or a run, as the address says. */

import { useEffect, useState } from "preact/hooks";
import { follow, type Happening, type Home, home as readHome } from "../lib/api";
import type { Job } from "../lib/jobs";
import { type Link, parseLink } from "../lib/link";
import type { WireTrace } from "../lib/wire";
import { HomePage } from "./HomePage";
import { Notice } from "./Notice";
import { OpenConversation } from "./OpenConversation";
import { RunPage } from "./RunPage";

/** Traces that were finished since the page was opened, by conversation. */
export type Fresh = Map<string, WireTrace[]>;

export function ServerApp() {
  const [link, setLink] = useState<Link>(() => parseLink(location.hash));
  const [home, setHome] = useState<Home | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [jobs, setJobs] = useState<Job[]>([]);
  const [fresh, setFresh] = useState<Fresh>(new Map());
  const [connected, setConnected] = useState(true);

  useEffect(() => {
    const change = () => setLink(parseLink(location.hash));
    addEventListener("hashchange", change);
    return () => removeEventListener("hashchange", change);
  }, []);
  useEffect(() => {
    readHome().then(setHome, (error: Error) => setProblem(error.message));
    return follow(({ jobs: now, trace, connected: up }: Happening) => {
      setJobs(now);
      setConnected(up);
      if (trace) {
        setFresh((before) => {
          const known = before.get(trace.conversation) ?? [];
          const others = known.filter((other) => other.id !== trace.trace.id);
          return new Map(before).set(trace.conversation, [...others, trace.trace]);
        });
      }
    });
  }, []);

  if (problem) return <Notice title="The server does not answer" text={problem} />;
  if (!home) return <Notice title="" text="" />;
  return (
    <>
      {!connected && (
        <p class="offline" role="alert">
          The connection to the server is lost. Is <code>tokengeist serve</code> still running?
        </p>
      )}
      {link.conversation ? (
        <OpenConversation
          key={`${link.conversation} ${link.run}`}
          home={home}
          link={link}
          jobs={jobs}
          fresh={fresh.get(link.conversation) ?? NONE}
        />
      ) : link.run ? (
        <RunPage key={link.run} run={link.run} />
      ) : (
        <HomePage home={home} />
      )}
    </>
  );
}

const NONE: WireTrace[] = [];
