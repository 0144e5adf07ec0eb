/** The acceptance table before and after re-labelling, and how far reviewers agree. */

import { useEffect, useState } from "preact/hooks";
import * as api from "./api";

const percent = (share: number | null) => (share === null ? "–" : `${Math.round(share * 100)}%`);
const points = (share: number | undefined) =>
  share === undefined ? "–" : (100 * share).toFixed(1);
const kappa = (value: number | null) => (value === null ? "undefined" : value.toFixed(2));

export function StatisticsView() {
  const [data, setData] = useState<api.Statistics | null>(null);
  const [fault, setFault] = useState("");
  useEffect(() => {
    api.statistics().then(setData, (error: Error) => setFault(error.message));
  }, []);
  if (fault) return <p role="alert">{fault}</p>;
  if (!data) return <p class="muted">Counting …</p>;
  const names = Object.keys(data.by_reviewer);
  return (
    <main class="statistics">
      <p class="muted">
        {data.sample.size} targets, drawn with seed {data.sample.seed}. Accepted means correct or
        with minor issues.
      </p>
      <Acceptance title="All reviewers" table={data.acceptance} />
      {names.length > 1 &&
        names.map((name) => (
          <Acceptance key={name} title={name} table={data.by_reviewer[name] ?? data.acceptance} />
        ))}
      <Agreement
        title="Agreement between reviewers"
        columns={["n", "Same judgement", "Cohen’s kappa", "Weighted"]}
        rows={data.agreement.map((pair) => [
          pair.reviewers,
          [String(pair.n), percent(pair.observed), kappa(pair.kappa), kappa(pair.weighted)],
        ])}
      />
      <Agreement
        title="Agreement on graphs"
        columns={["Targets", "Edge F1", "Node F1", "Source recall", "Span F1", "Same tags"]}
        rows={data.graphs.map((pair) => [
          pair.reviewers,
          [
            String(pair.targets),
            ...api.METRICS.map((metric) => points(pair.metrics[metric]?.mean)),
            percent(pair.same_tags),
          ],
        ])}
      />
      {data.graphs.length > 0 && (
        <p class="muted">
          Over the graphs that both came to by themselves: their own edit of what was drawn, or what
          was drawn if they accepted it.
        </p>
      )}
    </main>
  );
}

/** Any two reviewers, a line each; nothing while there is one reviewer only. */
function Agreement({
  title,
  columns,
  rows,
}: {
  title: string;
  columns: string[];
  rows: [string[], string[]][];
}) {
  if (rows.length === 0) return null;
  return (
    <table>
      <caption>{title}</caption>
      <thead>
        <tr>
          {["Reviewers", ...columns].map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([reviewers, cells]) => (
          <tr key={reviewers.join()}>
            <th scope="row">{reviewers.join(" and ")}</th>
            {cells.map((cell, at) => (
              <td key={columns[at]}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Acceptance({ title, table }: { title: string; table: api.Table }) {
  const rows = [...table.buckets, ...table.splits, table.overall];
  return (
    <table>
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">Bucket</th>
          <th scope="col">n</th>
          <th scope="col">Correct</th>
          <th scope="col">Minor</th>
          <th scope="col">Wrong</th>
          <th scope="col">Pre</th>
          <th scope="col">Post</th>
          <th scope="col">Judge again</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name} data-row={row.name}>
            <th scope="row">{row.name}</th>
            <td>{row.before}</td>
            <td>{row.correct}</td>
            <td>{row.minor}</td>
            <td>{row.wrong}</td>
            <td>{percent(row.pre)}</td>
            <td>{percent(row.post)}</td>
            <td>{row.waiting}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
