"""Benchmarks on the page: gold graphs beside a conversation, and runs target by target.

Gold graphs and stored predictions are turned into the same shape as a fresh trace, so the page
shows and compares them with the code that it has.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tokengeist.attribution.protocol import AttributorSpec
from tokengeist.bench.dataset import Conversation, Dataset
from tokengeist.bench.gold import GoldTarget
from tokengeist.bench.metrics import METRICS, score_prediction
from tokengeist.bench.predictions import Prediction
from tokengeist.bench.scoring import Pair, pairs
from tokengeist.bench.store import RunFolder
from tokengeist.errors import DatasetError, TokengeistError, UnknownNameError
from tokengeist.export.page import trace_json
from tokengeist.extraction import View
from tokengeist.graph import Edge, EdgeKind, Node, ProvenanceGraph, Stop
from tokengeist.server.catalogue import Catalogue
from tokengeist.transcript import Role, Span, Transcript, merge_spans

GOLD = "gold"
"""The name under which gold graphs stand among the methods."""
_EVERYTHING = View(alpha=0.0)


@dataclass(frozen=True)
class Run:
    """A benchmark run under the roots."""

    key: str
    folder: RunFolder

    @property
    def meta(self) -> dict[str, Any]:
        return self.folder.meta()


class Benchmarks:
    """The runs and gold graphs under a catalogue's roots."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self.runs = {run.key: run for run in _find_runs(catalogue.roots)}

    def run(self, key: str) -> Run:
        """A run by its key. Raises `UnknownNameError`."""
        if key not in self.runs:
            raise UnknownNameError("this run is not among those that were opened")
        return self.runs[key]

    def list_json(self) -> list[dict[str, Any]]:
        """The runs, for the list of everything that was opened."""
        return [
            {
                "key": run.key,
                "name": run.folder.name,
                "backend": run.meta["method"]["backend"],
                "data": run.meta["data"]["name"],
            }
            for run in self.runs.values()
        ]

    def run_json(self, key: str) -> dict[str, Any]:
        """A run's targets with their scores."""
        run = self.run(key)
        dataset = self._dataset(run)
        targets = [self._target_json(pair, dataset) for pair in pairs(dataset, run.folder)]
        return {
            "key": key,
            "name": run.folder.name,
            "data": dataset.name,
            "method": run.meta["method"],
            "metrics": list(METRICS),
            "targets": targets,
        }

    def _target_json(self, pair: Pair, dataset: Dataset) -> dict[str, Any]:
        gold, conversation = pair.gold, pair.conversation
        scores = score_prediction(pair.prediction, gold, conversation.transcript)
        path = dataset.conversation_path(conversation.id)
        label = f"{dataset.name}/conversations/{path.name}"
        return {
            "conversation": self._catalogue.add(path, conversation.id, label),
            "conversation_id": conversation.id,
            "name": gold.name,
            "turn": gold.turn,
            "start": gold.span.start,
            "end": gold.span.end,
            "text": gold.span.of(conversation.transcript.turns[gold.turn].text)[:200],
            "tags": list(gold.tags),
            "depth": gold.depth,
            "error": pair.prediction.error,
            "scores": {metric: getattr(scores, metric) for metric in METRICS},
        }

    def traces_for(
        self, path: Path, transcript: Transcript, run_key: str | None
    ) -> list[dict[str, Any]]:
        """Gold graphs of a conversation and, where a run is named, what it predicted."""
        conversation = _annotated(path, transcript)
        if conversation is None:
            return []
        found = [
            trace_json(
                gold_graph(gold, transcript),
                transcript,
                _EVERYTHING,
                id=f"{GOLD}-{gold.name}",
                name=gold.name,
            )
            for gold in conversation.targets
        ]
        if run_key is not None:
            found += self._predicted(self.run(run_key), conversation)
        return found

    def _predicted(self, run: Run, conversation: Conversation) -> Iterator[dict[str, Any]]:
        place = run.folder.index().get(conversation.id)
        golds = {gold.name: gold for gold in conversation.targets}
        method = run.meta["method"]
        view = View.from_json(method["view"])
        for prediction in run.folder.read(place) if place else ():
            gold = golds.get(prediction.target or "")
            if gold is None or prediction.error:
                continue
            spec = AttributorSpec(method["backend"], (run.meta["made_by"] or {}).get("model"))
            graph = predicted_graph(prediction, gold, conversation.transcript, spec)
            yield trace_json(
                graph,
                conversation.transcript,
                view,
                id=f"{run.key}-{gold.name}",
                name=gold.name,
            )

    def _dataset(self, run: Run) -> Dataset:
        folder = Path(run.meta["data"]["path"])
        if not any(folder.is_relative_to(root) for root in self._catalogue.roots):
            raise TokengeistError(
                f"the run {run.folder.name} was made over {folder}, which was not opened; "
                "start the page with both folders"
            )
        return Dataset(folder)


def gold_graph(gold: GoldTarget, transcript: Transcript) -> ProvenanceGraph:
    """An annotated graph as if a method called `gold` had traced it."""
    spans: dict[int, tuple[Span, ...]] = {gold.turn: (gold.span,)}
    edges = []
    for edge in gold.edges:
        known = spans.get(edge.source, ()) if edge.source != gold.turn else ()
        spans[edge.source] = merge_spans((*known, edge.span))
        is_result = transcript.turns[edge.dependent].role is Role.TOOL
        kind = EdgeKind.STRUCTURAL if is_result else EdgeKind.ATTRIBUTION
        edges.append(Edge(edge.dependent, edge.source, 1.0, kind, (edge.span,)))
    reached = [turn for turn in gold.nodes if turn in gold.distances]
    nodes = tuple(
        Node(
            turn,
            transcript.turns[turn].role,
            gold.distances[turn],
            spans.get(turn, ()),
            _stop(gold, turn, transcript),
        )
        for turn in reached
    )
    return ProvenanceGraph(
        gold.target,
        nodes,
        tuple(edge for edge in edges if edge.dependent in reached),
        AttributorSpec(GOLD),
        transcript_id=transcript.id,
        fingerprint=transcript.fingerprint,
    )


def _stop(gold: GoldTarget, turn: int, transcript: Transcript) -> Stop | None:
    if gold.sources[turn]:
        return None
    return Stop.EXOGENOUS if transcript.turns[turn].is_exogenous else Stop.NO_SOURCE


def predicted_graph(
    prediction: Prediction, gold: GoldTarget, transcript: Transcript, spec: AttributorSpec
) -> ProvenanceGraph:
    """A stored prediction as a graph. Evidence is known for the turns that its run kept."""
    graph = prediction.unpruned_graph(gold, transcript)
    spans = {turn: tuple(Span(*pair) for pair in found) for turn, found in prediction.spans.items()}
    edges = tuple(replace(edge, evidence=spans.get(edge.source, ())) for edge in graph.edges)
    nodes = tuple(
        replace(
            node,
            spans=(gold.span,) if node.turn == gold.turn else spans.get(node.turn, ()),
            stop=Stop.EXOGENOUS if transcript.turns[node.turn].is_exogenous else None,
        )
        for node in graph.nodes
    )
    return replace(
        graph,
        nodes=nodes,
        edges=edges,
        spec=spec,
        transcript_id=transcript.id,
        fingerprint=transcript.fingerprint,
    )


def _annotated(path: Path, transcript: Transcript) -> Conversation | None:
    """The conversation with its gold graphs, where it stands in a benchmark folder."""
    folder = path.parent.parent
    if path.parent.name != "conversations" or not (folder / "gold" / path.name).is_file():
        return None
    try:
        found = Dataset(folder).conversation(path.stem)
    except DatasetError:
        return None  # faulty gold is `bench validate`'s business; the conversation can be shown
    return found if found.transcript.fingerprint == transcript.fingerprint else None


def _find_runs(roots: tuple[Path, ...]) -> Iterator[Run]:
    count = 0
    for root in roots:
        if not root.is_dir():
            continue
        for folder, subfolders, names in os.walk(root):
            subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
            if "predictions.jsonl" in names and "meta.json" in names:
                yield Run(f"run{count}", RunFolder(folder))
                count += 1
