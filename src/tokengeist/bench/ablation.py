"""What each choice of the method is worth (paper, appendix B).

A stored run holds unpruned graphs, so another alpha, a smaller k and a smaller depth are only other
views of it: no model is asked again. A greater depth and another granularity need new runs, which
are kept inside the run that they vary and resume like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any

from tokengeist.bench.bootstrap import Tally
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.engines import Engine
from tokengeist.bench.metrics import score_graph
from tokengeist.bench.predictions import Prediction
from tokengeist.bench.run import Progress, run
from tokengeist.bench.scoring import Group, pairs, score
from tokengeist.bench.store import RunFolder
from tokengeist.bench.worker import Method
from tokengeist.extraction import View
from tokengeist.segmentation import Granularity
from tokengeist.transcript import Span

ALPHAS = tuple(round(0.05 * step, 2) for step in range(21))
DEPTHS = (1, 2, 4, 8, 12, 16)
BRANCHES = (1, 2, 3)
GRANULARITY_CONVERSATIONS = 10
"""The paper's subset for the one ablation that has to be run anew for every value."""


Value = float | str


class Ablation(StrEnum):
    """What is varied."""

    ALPHA = "alpha"
    DEPTH = "depth"
    K = "k"
    GRANULARITY = "granularity"


@dataclass(frozen=True)
class Curve:
    """The metrics of a run as one of its settings varies."""

    ablation: Ablation
    name: str
    """What tells this curve from others of the same ablation."""
    points: dict[Value, Group]
    chosen: Value | None
    """The value that the run itself was made with."""

    def json(self) -> dict[str, Any]:
        """As a plain object."""
        return {
            "ablation": self.ablation,
            "name": self.name,
            "chosen": self.chosen,
            "points": [
                {"value": value} | {metric: found.json() for metric, found in group.items()}
                for value, group in self.points.items()
            ],
        }


def alpha_curve(dataset: Dataset, folder: RunFolder, alphas: Sequence[float] = ALPHAS) -> Curve:
    """Edge F1 and the rest by how much weaker than the best an edge may be (appendix B.2)."""
    view = _method(folder).settings.view
    views: dict[Value, View] = {alpha: replace(view, alpha=alpha) for alpha in alphas}
    return Curve(Ablation.ALPHA, "", _through(dataset, folder, views), view.alpha)


def branching_curves(
    dataset: Dataset, folder: RunFolder, branches: Sequence[int] = BRANCHES
) -> list[Curve]:
    """By how many sources are kept at a turn, after pruning by alpha and without it (B.3)."""
    settings = _method(folder).settings
    most = settings.trace.top_k
    kept = [k for k in branches if most is None or k <= most]
    pruned: dict[Value, View] = {k: replace(settings.view, top_k=k) for k in kept}
    raw: dict[Value, View] = {k: replace(settings.view, alpha=0.0, top_k=k) for k in kept}
    with_alpha = f"after α = {settings.view.alpha:g}"
    return [
        Curve(Ablation.K, with_alpha, _through(dataset, folder, pruned), most),
        Curve(Ablation.K, "without α", _through(dataset, folder, raw), most),
    ]


def depth_curve(dataset: Dataset, folder: RunFolder, depths: Sequence[int] = DEPTHS) -> Curve:
    """By how many hops are followed, up to what the run itself was allowed (B.1).

    Exact where recursion explains whole turns, as the paper does. Where it explains the evidence,
    a stored turn may have been asked about text that only deeper hops needed, so a fresh run can
    differ a little.
    """
    settings = _method(folder).settings
    reached = [depth for depth in depths if depth <= settings.trace.max_depth]
    views: dict[Value, View] = {depth: replace(settings.view, max_depth=depth) for depth in reached}
    return Curve(Ablation.DEPTH, "", _through(dataset, folder, views), settings.trace.max_depth)


def deepened(
    dataset: Dataset,
    folder: RunFolder,
    depth: int,
    *,
    engine: Engine | None = None,
    on_progress: Progress | None = None,
) -> RunFolder:
    """The run itself if it went as deep as `depth`; else the same run, deeper, kept inside it."""
    method = _method(folder)
    if method.settings.trace.max_depth >= depth:
        return folder
    trace = replace(method.settings.trace, max_depth=depth)
    deeper = replace(method, settings=replace(method.settings, trace=trace))
    out = folder.path / f"ablation-depth-{depth}"
    run(dataset, out, deeper, engine=engine, on_progress=on_progress)
    return RunFolder(out)


def granularity_curve(
    dataset: Dataset,
    folder: RunFolder,
    *,
    limit: int | None = GRANULARITY_CONVERSATIONS,
    engine: Engine | None = None,
    on_progress: Progress | None = None,
) -> Curve:
    """Sentences against words as sources, each run anew on the first conversations (B.5)."""
    method = _method(folder)
    points: dict[Value, Group] = {}
    for granularity in Granularity:
        settings = replace(method.settings, granularity=granularity)
        out = folder.path / f"ablation-{granularity}"
        varied = replace(method, settings=settings)
        run(dataset, out, varied, limit=limit, engine=engine, on_progress=on_progress)
        points[str(granularity)] = score(dataset, RunFolder(out)).overall
    return Curve(Ablation.GRANULARITY, "", points, str(method.settings.granularity))


def _method(folder: RunFolder) -> Method:
    return Method.from_json(folder.meta()["method"])


def _through(
    dataset: Dataset, folder: RunFolder, views: Mapping[Value, View]
) -> dict[Value, Group]:
    """The metrics of a run's stored graphs, pruned through each of the views.

    Span F1 is among them where the evidence of every target is stored.
    """
    tallies: dict[Value, dict[str, Tally]] = {value: {} for value in views}
    evidence = _stored_evidence(folder)
    conversations = 0
    has_evidence = True
    for pair in pairs(dataset, folder):
        conversations = pair.number + 1
        transcript = pair.conversation.transcript
        stored = evidence(pair.prediction)
        has_evidence = has_evidence and stored is not None
        unpruned = pair.prediction.unpruned_graph(pair.gold, transcript, stored)
        for value, view in views.items():
            for metric, found in score_graph(view.of(unpruned), pair.gold, transcript).items():
                if found is not None:
                    tallies[value].setdefault(metric, Tally()).add(pair.number, found)
    groups: dict[Value, Group] = {}
    for value, by_metric in tallies.items():
        if not has_evidence:
            by_metric.pop("span_f1", None)
        estimates = {metric: tally.estimate(conversations) for metric, tally in by_metric.items()}
        groups[value] = {metric: e for metric, e in estimates.items() if e is not None}
    return groups


def _stored_evidence(
    folder: RunFolder,
) -> Callable[[Prediction], Sequence[tuple[Span, ...]] | None]:
    """What finds the evidence of a prediction's unpruned edges; None where it was not stored."""
    index = folder.evidence.index()

    @lru_cache(maxsize=1)
    def of_conversation(id: str) -> dict[str, Sequence[tuple[Span, ...]]]:
        if id not in index:
            return {}
        return {line.target: line.spans for line in folder.evidence.read(index[id])}

    def of(prediction: Prediction) -> Sequence[tuple[Span, ...]] | None:
        if not prediction.unpruned_edges:
            return ()
        return of_conversation(prediction.conversation_id).get(str(prediction.target))

    return of
