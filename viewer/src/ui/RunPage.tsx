/** A benchmark run: its targets by score, filtered by tag, each a way into its conversation. */

import { useEffect, useMemo, useState } from "preact/hooks";
import { type Run, type RunTarget, run as readRun } from "../lib/api";
import { formatLink, NOWHERE } from "../lib/link";
import { GOLD } from "../lib/model";
import { excerpt, plural, shown } from "../lib/text";
import { Brand } from "./Brand";
import { Notice } from "./Notice";
import { ThemeSwitch } from "./theme";

const NAMES: Record<string, string> = {
  edge_f1: "Edge F1",
  node_f1: "Node F1",
  source_recall: "Source recall",
  span_f1: "Span F1",
};

export function RunPage({ run: key }: { run: string }) {
  const [run, setRun] = useState<Run | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [tag, setTag] = useState<string | null>(null);
  const [order, setOrder] = useState<{ metric: string; up: boolean }>({
    metric: "edge_f1",
    up: true,
  });
  useEffect(() => {
    readRun(key).then(setRun, (error: Error) => setProblem(error.message));
  }, [key]);
  const tags = useMemo(
    () => [...new Set(run?.targets.flatMap((target) => target.tags) ?? [])].sort(),
    [run],
  );
  const shownTargets = useMemo(() => {
    const kept = run?.targets.filter((target) => tag === null || target.tags.includes(tag)) ?? [];
    const value = (target: RunTarget) => target.scores[order.metric] ?? -1;
    return kept.sort((a, b) => (order.up ? value(a) - value(b) : value(b) - value(a)));
  }, [run, tag, order]);
  if (problem) return <Notice title="This run cannot be shown" text={problem} />;
  if (!run) return <Notice title="" text="Scoring the run" />;
  return (
    <div class="home run-page">
      <header class="top">
        <Brand href="#" />
        <span class="spring" />
        <ThemeSwitch />
      </header>
      <main>
        <h1>{shown(run.name)}</h1>
        <p class="muted">
          {String(run.method.backend)}, {plural(run.targets.length, "target")} over{" "}
          {shown(run.data)}. Scores say what the attribution method finds salient; they are not
          proof.
        </p>
        <div class="tags" role="group" aria-label="Filter by tag">
          {[null, ...tags].map((name) => (
            <button
              key={name ?? ""}
              type="button"
              aria-pressed={tag === name}
              onClick={() => setTag(name)}
            >
              {name ?? "all"}
            </button>
          ))}
        </div>
        <table>
          <thead>
            <tr>
              <th scope="col">Target</th>
              <th scope="col">Tags</th>
              <th scope="col">Depth</th>
              {run.metrics.map((metric) => (
                <th
                  key={metric}
                  scope="col"
                  aria-sort={
                    order.metric === metric ? (order.up ? "ascending" : "descending") : "none"
                  }
                >
                  <button
                    type="button"
                    onClick={() =>
                      setOrder({ metric, up: order.metric === metric ? !order.up : true })
                    }
                  >
                    {NAMES[metric] ?? metric}
                    <span aria-hidden="true">
                      {order.metric === metric ? (order.up ? " ↑" : " ↓") : ""}
                    </span>
                  </button>
                </th>
              ))}
            </tr>
            <Means run={run} targets={shownTargets} />
          </thead>
          <tbody>
            {shownTargets.map((target) => (
              <TargetRow key={`${target.conversation} ${target.name}`} run={run} target={target} />
            ))}
          </tbody>
        </table>
      </main>
    </div>
  );
}

function Means({ run, targets }: { run: Run; targets: RunTarget[] }) {
  return (
    <tr class="means">
      <th scope="row" colSpan={3}>
        Mean of {plural(targets.length, "target")}
      </th>
      {run.metrics.map((metric) => {
        const known = targets.map((t) => t.scores[metric]).filter((v) => typeof v === "number");
        const mean = known.reduce((sum, v) => sum + v, 0) / Math.max(1, known.length);
        return <td key={metric}>{(100 * mean).toFixed(1)}</td>;
      })}
    </tr>
  );
}

function TargetRow({ run, target }: { run: Run; target: RunTarget }) {
  const link = formatLink({
    ...NOWHERE,
    run: run.key,
    conversation: target.conversation,
    turn: target.turn,
    span: { start: target.start, end: target.end },
    backend: target.error ? GOLD : String(run.method.backend),
    against: GOLD,
    mode: target.error ? null : "compare",
  });
  return (
    <tr>
      <td class="run-target">
        <a href={link}>{excerpt(target.text, 90)}</a>
        <span class="muted">
          {shown(target.conversation_id)}, turn {target.turn}, {shown(target.name)}
        </span>
        {target.error && <span class="run-error">{shown(target.error)}</span>}
      </td>
      <td>{target.tags.join(", ")}</td>
      <td>{target.depth}</td>
      {run.metrics.map((metric) => {
        const score = target.scores[metric];
        return (
          <td key={metric}>
            {typeof score === "number" ? (
              <>
                <meter min={0} max={1} value={score} aria-hidden="true" />
                {(100 * score).toFixed(0)}
              </>
            ) : (
              "–"
            )}
          </td>
        );
      })}
    </tr>
  );
}
