"""Ablations: what a stored graph can answer, and that the answer is that of a new run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tokengeist.api import Settings
from tokengeist.bench.ablation import (
    alpha_curve,
    branching_curves,
    deepened,
    depth_curve,
    granularity_curve,
)
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.run import run
from tokengeist.bench.scoring import Group, score
from tokengeist.bench.store import RunFolder
from tokengeist.bench.worker import Method
from tokengeist.errors import RunError
from tokengeist.extraction import View
from tokengeist.segmentation import Granularity
from tokengeist.tracer import TraceOptions


def fresh(dataset: Dataset, out: Path, settings: Settings) -> Group:
    run(dataset, out, Method("lexical", settings=settings))
    return score(dataset, RunFolder(out)).overall


def assert_same(stored: Group, new: Group) -> None:
    assert stored.keys() == new.keys()
    for metric in new:
        assert stored[metric].mean == pytest.approx(new[metric].mean, abs=1e-12)
        assert stored[metric].low == pytest.approx(new[metric].low, abs=1e-12)


@pytest.fixture
def stored(mtca_dev: Dataset, tmp_path: Path) -> RunFolder:
    run(mtca_dev, tmp_path / "run", Method("lexical"))
    return RunFolder(tmp_path / "run")


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_another_alpha_needs_no_new_run(
    mtca_dev: Dataset, stored: RunFolder, tmp_path: Path, alpha: float
) -> None:
    curve = alpha_curve(mtca_dev, stored, [alpha])
    assert curve.chosen == 0.85
    new = fresh(mtca_dev, tmp_path / "new", Settings(view=View(alpha=alpha)))
    assert_same(curve.points[alpha], new)


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_a_smaller_depth_needs_no_new_run(
    mtca_dev: Dataset, stored: RunFolder, tmp_path: Path, depth: int
) -> None:
    curve = depth_curve(mtca_dev, stored, [depth, 12])
    assert list(curve.points) == [depth]  # what the run did not reach is not made up
    new = fresh(mtca_dev, tmp_path / "new", Settings(trace=TraceOptions(max_depth=depth)))
    assert_same(curve.points[depth], new)


def test_branching_is_cut_after_alpha_or_without_it(
    mtca_dev: Dataset, stored: RunFolder, tmp_path: Path
) -> None:
    after, without = branching_curves(mtca_dev, stored)
    assert list(after.points) == list(without.points) == [1, 2, 3]
    plain = score(mtca_dev, stored).overall
    assert_same(after.points[3], plain)  # nobody has more than three sources anyway
    assert_same(without.points[3], fresh(mtca_dev, tmp_path / "raw", Settings(view=View(alpha=0))))
    assert without.points[3]["edge_recall"].mean > after.points[3]["edge_recall"].mean
    assert without.points[3]["edge_precision"].mean < after.points[3]["edge_precision"].mean


def test_a_run_without_stored_evidence_has_all_but_span_f1(
    dataset: Dataset, tmp_path: Path
) -> None:
    run(dataset, tmp_path / "run", Method("lexical"))
    folder = RunFolder(tmp_path / "run")
    (with_evidence,) = alpha_curve(dataset, folder, [0.5]).points.values()
    folder.evidence.path.unlink()
    (without,) = alpha_curve(dataset, folder, [0.5]).points.values()
    assert with_evidence.keys() - without.keys() == {"span_f1"}
    assert {metric: with_evidence[metric] for metric in without} == without


def test_evidence_for_some_targets_is_no_span_f1(dataset: Dataset, tmp_path: Path) -> None:
    run(dataset, tmp_path / "run", Method("lexical"), limit=3)
    folder = RunFolder(tmp_path / "run")
    folder.evidence.path.unlink()
    run(dataset, tmp_path / "run", Method("lexical"))
    assert len(folder.evidence.index()) == 3
    assert "span_f1" not in depth_curve(dataset, folder, [2]).points[2]


def test_evidence_of_another_run_is_refused(dataset: Dataset, tmp_path: Path) -> None:
    run(dataset, tmp_path / "deep", Method("lexical"))
    flat = Settings(trace=TraceOptions(max_depth=1))
    run(dataset, tmp_path / "flat", Method("lexical", settings=flat))
    (tmp_path / "flat" / "evidence.jsonl").replace(tmp_path / "deep" / "evidence.jsonl")
    with pytest.raises(RunError, match="is not that of its prediction"):
        alpha_curve(dataset, RunFolder(tmp_path / "deep"), [0.5])


def test_a_greater_depth_is_run_inside_the_run(dataset: Dataset, tmp_path: Path) -> None:
    run(dataset, tmp_path / "run", Method("lexical"))
    folder = RunFolder(tmp_path / "run")
    assert deepened(dataset, folder, 8) == deepened(dataset, folder, 4)
    deeper = deepened(dataset, folder, 16)
    assert deeper.path.parent == folder.path
    assert deeper.meta()["method"]["trace"]["max_depth"] == 16
    assert list(depth_curve(dataset, deeper).points) == [1, 2, 4, 8, 12, 16]


def test_granularities_are_run_anew_on_a_subset(dataset: Dataset, tmp_path: Path) -> None:
    run(dataset, tmp_path / "run", Method("lexical"))
    curve = granularity_curve(dataset, RunFolder(tmp_path / "run"), limit=2)
    assert list(curve.points) == ["sentence", "word"]
    assert curve.points["word"]["span_f1"].n == 6
    words = fresh(dataset, tmp_path / "new", Settings(granularity=Granularity.WORD))
    assert curve.points["word"]["edge_f1"].mean == pytest.approx(words["edge_f1"].mean)


def test_a_method_survives_its_meta_data() -> None:
    method = Method("lexical", settings=Settings(TraceOptions(top_k=None), View(alpha=0.5)))
    assert Method.from_json(method.json()) == method
