/** On a small screen: the choice between the conversation and what is said of it. */

export type Pane = "conversation" | "graph";

export function Panes({
  pane,
  graph,
  onPane,
}: {
  pane: Pane;
  /** What the other one is called. */
  graph: string;
  onPane: (pane: Pane) => void;
}) {
  return (
    <div class="panes" role="group" aria-label="What to show">
      {(["conversation", "graph"] as const).map((name) => (
        <button key={name} type="button" aria-pressed={pane === name} onClick={() => onPane(name)}>
          {name === "graph" ? graph : "Conversation"}
        </button>
      ))}
    </div>
  );
}
