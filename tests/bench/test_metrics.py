"""The paper's metrics: by hand, in the empty cases, and against a second scorer."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.bench.paper_scorer import score_run
from tokengeist.api import Settings
from tokengeist.bench.bootstrap import Tally
from tokengeist.bench.compare import compare
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.gold import GoldTarget
from tokengeist.bench.hallucination import corrected_scores, hallucinated_scores
from tokengeist.bench.metrics import METRICS, f1, score_prediction, word_f1
from tokengeist.bench.predictions import PredictedEdge, PredictedNode, Prediction
from tokengeist.bench.run import run
from tokengeist.bench.scoring import score, signalled_turns, spread
from tokengeist.bench.store import RunFolder
from tokengeist.bench.synth import generate, write
from tokengeist.bench.worker import Method
from tokengeist.tracer import TraceOptions
from tokengeist.transcript import Span

FLAT = Settings(trace=TraceOptions(max_depth=1))


def predict(gold: GoldTarget, *edges: tuple[int, int], **spans: tuple[int, int]) -> Prediction:
    turns = {turn for edge in edges for turn in edge} | {gold.turn}
    return Prediction(
        "c0",
        gold.name,
        gold.turn,
        tuple(
            PredictedNode(turn, (spans[f"t{turn}"],) if f"t{turn}" in spans else ())
            for turn in sorted(turns)
        ),
        tuple(PredictedEdge(*edge, 0.5, "attribution") for edge in edges),
    )


def test_a_prediction_scored_by_hand(dataset: Dataset) -> None:
    conversation = dataset.conversation("c0")
    gold = conversation.targets[1]  # 6 → 3 → 2 → 1 and 6 → 0
    said = predict(gold, (6, 3), (6, 5), (3, 2), t3=(0, 13), t5=(0, 5))
    scores = score_prediction(said, gold, conversation.transcript)
    assert (scores.edge_precision, scores.edge_recall) == (2 / 3, 2 / 4)
    assert scores.edge_f1 == pytest.approx(4 / 7)
    assert scores.node_f1 == pytest.approx(2 * 2 / (3 + 4))  # 3, 5, 2 against 3, 0, 2, 1
    assert scores.source_recall == 0  # neither 0 nor 1
    # Turn 3: '{"shelf": "B0"' against '"kg": 55' share no word; 2 has no span; 0 and 1 are absent.
    assert scores.span_f1 == 0


def test_the_gold_graph_itself_scores_one(dataset: Dataset) -> None:
    conversation = dataset.conversation("c0")
    for gold in conversation.targets:
        nodes = {edge.source: (edge.span.start, edge.span.end) for edge in gold.edges}
        edges = tuple(PredictedEdge(e.dependent, e.source, 1, "attribution") for e in gold.edges)
        perfect = Prediction(
            "c0",
            gold.name,
            gold.turn,
            tuple(PredictedNode(t, (s,)) for t, s in nodes.items()),
            edges,
        )
        scores = score_prediction(perfect, gold, conversation.transcript)
        assert [value for _, value in scores.items()] == [1.0] * 6


def test_words_count_as_often_as_they_stand_there() -> None:
    assert word_f1(["a a b"], ["a b", "b"]) == pytest.approx(2 * 2 / (3 + 3))
    assert word_f1([], ["a"]) == 0
    assert word_f1(["A"], ["a"]) == 0


def test_empty_sets(dataset: Dataset) -> None:
    assert f1(set(), set()) == 1
    assert f1({1}, set()) == f1(set(), {1}) == 0
    conversation = dataset.conversation("c0")
    invention = replace(conversation.targets[2], nodes=(2,), edges=())
    silent = score_prediction(predict(invention), invention, conversation.transcript)
    assert (silent.edge_f1, silent.node_f1) == (1, 1)
    assert silent.source_recall is None
    assert silent.span_f1 is None
    loud = score_prediction(predict(invention, (2, 1)), invention, conversation.transcript)
    assert (loud.edge_f1, loud.node_f1, loud.source_recall) == (0, 0, None)
    empty = predict(conversation.targets[0])
    scores = score_prediction(empty, conversation.targets[0], conversation.transcript)
    assert [value for _, value in scores.items()] == [0.0] * 6


def test_a_failure_is_never_right(dataset: Dataset) -> None:
    conversation = dataset.conversation("c0")
    gold = conversation.targets[2]
    for meant in (gold, replace(gold, nodes=(gold.turn,), edges=())):
        failed = Prediction("c0", meant.name, meant.turn, error="ModelError: out of memory")
        scores = score_prediction(failed, meant, conversation.transcript)
        assert {value for _, value in scores.items()} <= {0.0, None}


def test_annotations_that_overlap_count_once(dataset: Dataset) -> None:
    conversation = dataset.conversation("c0")
    gold = conversation.targets[1]
    (edge, *_) = gold.edges
    quoted = edge.span.of(conversation.transcript.turns[edge.source].text)
    part = replace(edge, span=Span(edge.span.start, edge.span.end - 1))
    twice = replace(gold, edges=(edge, part))
    assert twice.texts(conversation.transcript) == {edge.source: (quoted,)}


@pytest.mark.parametrize("settings", [Settings(), FLAT])
def test_a_second_scorer_agrees(tmp_path: Path, mtca_dev: Dataset, settings: Settings) -> None:
    run(mtca_dev, tmp_path / "run", Method("lexical", settings=settings))
    ours = score(mtca_dev, RunFolder(tmp_path / "run"))
    assert ours.targets == 156
    theirs = score_run(mtca_dev.folder, tmp_path / "run")
    assert [ours.overall[metric].mean for metric in METRICS] == pytest.approx(theirs, abs=1e-12)


def few(dataset: Dataset, folder: Path, count: int) -> Dataset:
    """The shortest conversations of a data set, as a data set."""
    for name in ("conversations", "gold"):
        (folder / name).mkdir(parents=True)
    by_length = sorted(dataset.ids, key=lambda id: dataset.conversation_path(id).stat().st_size)
    for id in by_length[:count]:
        for path in (dataset.conversation_path(id), dataset.gold_path(id)):
            shutil.copyfile(path, folder / path.parent.name / path.name)
    return Dataset(folder)


@pytest.fixture(params=["real", "synthetic"])
def short(request: pytest.FixtureRequest, tmp_path: Path) -> Dataset:
    """Conversations that a model reads in seconds."""
    if request.param == "real":
        return few(request.getfixturevalue("mtca_dev"), tmp_path / "data", 2)
    write(tmp_path / "synth", generate(12, seed=1))
    return few(Dataset(tmp_path / "synth"), tmp_path / "data", 2)


def test_a_second_scorer_agrees_on_attention(short: Dataset, tmp_path: Path) -> None:
    for name, settings in (("deep", Settings()), ("flat", FLAT)):  # over the same stored reading
        run(short, tmp_path / name, Method("attention", settings=settings))
        ours = score(short, RunFolder(tmp_path / name)).overall
        theirs = score_run(short.folder, tmp_path / name)
        assert [ours[metric].mean for metric in METRICS] == pytest.approx(theirs, abs=1e-12)
    found = compare(short, RunFolder(tmp_path / "flat"), RunFolder(tmp_path / "deep"))
    assert found.differences["edge_f1"].mean > 0
    assert all(found.differences[metric].mean >= 0 for metric in METRICS)


def test_recursion_is_ahead_of_flat_attribution(tmp_path: Path, mtca_dev: Dataset) -> None:
    run(mtca_dev, tmp_path / "deep", Method("lexical"))
    run(mtca_dev, tmp_path / "flat", Method("lexical", settings=FLAT))
    found = compare(mtca_dev, RunFolder(tmp_path / "flat"), RunFolder(tmp_path / "deep"))
    assert all(found.differences[metric].low > 0 for metric in METRICS)
    assert found.wins + found.losses + found.ties == 156
    deep = score(mtca_dev, RunFolder(tmp_path / "deep"))
    flat = score(mtca_dev, RunFolder(tmp_path / "flat"))
    for metric in METRICS:
        assert found.differences[metric].mean == pytest.approx(
            deep.overall[metric].mean - flat.overall[metric].mean
        )
    # What the paper calls provenance collapse: flat attribution sees nothing beyond a few hops.
    assert flat.coverage_by_depth[3].mean < deep.coverage_by_depth[3].mean


def test_strata_add_up(tmp_path: Path, mtca_dev: Dataset) -> None:
    run(mtca_dev, tmp_path / "run", Method("lexical"))
    found = score(mtca_dev, RunFolder(tmp_path / "run"))
    for groups in (found.by_depth, {t: found.by_tag[t] for t in ("direct", "chained")}):
        estimates = [group["edge_f1"] for group in groups.values()]
        assert sum(e.n for e in estimates) == 156
        whole = sum(e.mean * e.n for e in estimates) / 156
        assert whole == pytest.approx(found.overall["edge_f1"].mean)
    by_hops, by_distance = found.coverage_by_depth.values(), found.coverage_by_distance.values()
    assert sum(e.n for e in by_hops) == sum(e.n for e in by_distance)
    assert found.by_tag["hallucination"]["edge_f1"].n == found.hallucinated["overall_f1"].n == 36


def test_structural_edges_carry_no_signal() -> None:
    edges = (
        PredictedEdge(6, 5, 0.4, "attribution"),
        PredictedEdge(5, 4, 1.0, "structural"),
        PredictedEdge(4, 3, 0.0, "attribution"),
    )
    assert signalled_turns(Prediction("c0", "x", 6, unpruned_edges=edges)) == {5}


def test_hallucinations_separate_what_misled_from_what_was_ignored(dataset: Dataset) -> None:
    conversation = dataset.conversation("c0")
    gold = replace(conversation.targets[1], corrective=(0,), corrected_from="needs one person")
    said = predict(gold, (6, 3), (3, 2), (2, 1))
    assert hallucinated_scores(said, gold) == {
        "halluc_f1": 1.0,
        "corr_f1": 0.0,
        "overall_f1": pytest.approx(6 / 7),
    }
    assert corrected_scores(said, gold, conversation.transcript) == {
        "evidence_f1": pytest.approx(2 / 3),  # 3 of 3 and 0
        "node_f1": pytest.approx(6 / 7),
        "source_f1": pytest.approx(2 / 3),  # 1 of 1 and 0
    }
    assert hallucinated_scores(said, conversation.targets[1])["corr_f1"] is None


def test_intervals_hold_the_mean_and_shrink_with_data() -> None:
    few, many = Tally(), Tally()
    for number in range(1000):
        many.add(number, number % 2)
        if number < 20:
            few.add(number, number % 2)
    small, large = few.estimate(20), many.estimate(1000)
    assert small is not None
    assert large is not None
    assert small.low < small.mean == 0.5 < small.high
    assert large.high - large.low < (small.high - small.low) / 3
    assert large.n == 1000
    assert Tally().estimate(10) is None


def test_targets_of_one_conversation_are_drawn_together() -> None:
    apart, together = Tally(), Tally()
    for number in range(100):
        apart.add(number, number % 2)
        together.add(number // 10, (number // 10) % 2)  # ten conversations of ten equal targets
    one, other = apart.estimate(100), together.estimate(10)
    assert one is not None
    assert other is not None
    assert other.high - other.low > 2 * (one.high - one.low)


def test_repeats_have_a_mean_and_a_deviation(tmp_path: Path, dataset: Dataset) -> None:
    run(dataset, tmp_path / "a", Method("lexical"))
    run(dataset, tmp_path / "b", Method("lexical", settings=FLAT))
    scores = [score(dataset, RunFolder(tmp_path / name)) for name in "aab"]
    means = [found.overall["node_f1"].mean for found in scores]
    found = spread(scores)["node_f1"]
    assert found.runs == 3
    assert found.mean == pytest.approx(sum(means) / 3)
    assert found.deviation == pytest.approx(abs(means[0] - means[2]) / 3**0.5)
