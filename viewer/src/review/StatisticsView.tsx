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
      {data.agreement.length > 0 && (
        <table>
          <caption>Agreement between reviewers</caption>
          <thead>
            <tr>
              <th scope="col">Reviewers</th>
              <th scope="col">n</th>
              <th scope="col">Same judgement</th>
              <th scope="col">Cohen’s kappa</th>
              <th scope="col">Weighted</th>
            </tr>
          </thead>
          <tbody>
            {data.agreement.map((pair) => (
              <tr key={pair.reviewers.join()}>
                <th scope="row">{pair.reviewers.join(" and ")}</th>
                <td>{pair.n}</td>
                <td>{percent(pair.observed)}</td>
                <td>{kappa(pair.kappa)}</td>
                <td>{kappa(pair.weighted)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data.graphs.length > 0 && (
        <table>
          <caption>Agreement on graphs</caption>
          <thead>
            <tr>
              <th scope="col">Reviewers</th>
              <th scope="col">Targets</th>
              <th scope="col">Edge F1</th>
              <th scope="col">Node F1</th>
              <th scope="col">Source recall</th>
              <th scope="col">Span F1</th>
              <th scope="col">Same tags</th>
            </tr>
          </thead>
          <tbody>
            {data.graphs.map((pair) => (
              <tr key={pair.reviewers.join()}>
                <th scope="row">{pair.reviewers.join(" and ")}</th>
                <td>{pair.targets}</td>
                {api.METRICS.map((metric) => (
                  <td key={metric}>{points(pair.metrics[metric]?.mean)}</td>
                ))}
                <td>{percent(pair.same_tags)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data.graphs.length > 0 && (
        <p class="muted">
          Over the graphs that both came to by themselves: their own edit of what was drawn, or what
          was drawn if they accepted it.
        </p>
      )}
    </main>
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
