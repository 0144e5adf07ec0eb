"""Sampling, judging, editing and counting, without a browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokengeist.bench.dataset import Dataset, GoldForm, write_gold
from tokengeist.bench.review.acceptance import acceptance
from tokengeist.bench.review.agreement import cohens_kappa, graph_agreement, kappas
from tokengeist.bench.review.desk import ReviewDesk
from tokengeist.bench.review.editing import ConflictError, Edges, RuleError
from tokengeist.bench.review.judgements import Action, Judgement
from tokengeist.bench.review.sample import Item, Sample, allocate, draw_sample
from tokengeist.bench.validation import validate
from tokengeist.errors import RunError, UnknownNameError

C, M, W = Judgement.CORRECT, Judgement.MINOR, Judgement.WRONG


@given(st.integers(0, 60), st.lists(st.integers(0, 20), min_size=1, max_size=5))
def test_shares_are_as_even_as_they_can_be(size: int, available: list[int]) -> None:
    shares = allocate(size, dict(enumerate(available)))
    assert sum(shares.values()) == min(size, sum(available))
    assert all(shares[key] <= limit for key, limit in enumerate(available))
    unfilled = [shares[key] for key, limit in enumerate(available) if shares[key] < limit]
    if unfilled:
        assert max(shares.values()) - min(unfilled) <= 1


def test_a_sample_is_stratified_and_repeatable(mtca_dev: Dataset) -> None:
    sample = draw_sample(mtca_dev, size=40, seed=7)
    assert sample == draw_sample(mtca_dev, size=40, seed=7)
    assert sample != draw_sample(mtca_dev, size=40, seed=8)
    splits = [item.split for item in sample.items]
    assert (splits.count("tau-airline"), splits.count("tau-retail")) == (20, 20)
    assert len({(i.conversation, i.target) for i in sample.items}) == 40
    everything = draw_sample(mtca_dev, size=1000, seed=0).items
    for split in ("tau-airline", "tau-retail"):
        drawn = [i.bucket for i in sample.items if i.split == split]
        there = [i.bucket for i in everything if i.split == split]
        counts = {bucket: drawn.count(bucket) for bucket in there}
        open_ = [n for bucket, n in counts.items() if n < there.count(bucket)]
        assert max(counts.values()) - min(open_) <= 1


def test_a_sample_is_drawn_once(dataset: Dataset) -> None:
    first = ReviewDesk.over(dataset, size=4, seed=3)
    assert ReviewDesk.over(dataset, size=None, seed=None).sample == first.sample
    with pytest.raises(RunError, match="a sample of 4 with seed 3 was drawn already"):
        ReviewDesk.over(dataset, size=5, seed=3)


def position(desk: ReviewDesk, target: str) -> int:
    return [item.target for item in desk.sample.items].index(target)


def judge(desk: ReviewDesk, name: str, target: str, level: Judgement, note: str = "") -> None:
    index = position(desk, target)
    desk.judge(name, index, level, note=note, seen=desk.open(index, name).digest)


def said(desk: ReviewDesk, name: str) -> dict[str, str]:
    entries = desk.overview(name)
    return {e["target"]: e["judgement"] for e in entries if e["judgement"] is not None}


def test_judgements_are_kept_changed_and_taken_back(desk: ReviewDesk, dataset: Dataset) -> None:
    judge(desk, "ada", "door_code", W, "stops too early")
    judge(desk, "ada", "door_code", M)
    judge(desk, "ada", "qualifies", C)
    judge(desk, "bob", "qualifies", W)
    again = ReviewDesk.over(dataset, size=None, seed=None)
    assert said(again, "ada") == {"door_code": "minor", "qualifies": "correct"}
    desk.undo("ada")
    desk.undo("ada")
    assert said(desk, "ada") == {"door_code": "wrong"}
    assert desk.overview("ada")[position(desk, "door_code")]["note"] == "stops too early"
    desk.undo("ada")
    assert desk.undo("ada") is None
    assert said(desk, "ada") == {}
    assert said(desk, "bob") == {"qualifies": "wrong"}


def test_a_torn_line_costs_nothing_else(desk: ReviewDesk) -> None:
    judge(desk, "ada", "qualifies", C)
    path = desk.folder / "ada.jsonl"
    path.write_bytes(path.read_bytes() + b'{"kind": "judge", "conv')
    judge(desk, "ada", "door_code", M)
    assert said(desk, "ada") == {"qualifies": "correct", "door_code": "minor"}


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "x" * 41, "a b"])
def test_names_that_could_leave_the_folder_are_refused(desk: ReviewDesk, name: str) -> None:
    with pytest.raises(RunError, match="no name for a reviewer"):
        desk.overview(name)


def edges_of(desk: ReviewDesk, index: int) -> list[tuple[int, int, int, int]]:
    target = desk.open(index, "ada").target
    return [(e.dependent, e.source, e.span.start, e.span.end) for e in target.edges]


@pytest.mark.parametrize("form", GoldForm)
def test_an_edit_is_validated_saved_and_undone(
    desk: ReviewDesk, dataset: Dataset, form: GoldForm
) -> None:
    write_gold(list(dataset), dataset.folder / "gold", form)
    path = dataset.gold_path("observatory")
    before = path.read_bytes()
    index = position(desk, "charge_argument")
    seen = desk.open(index, "ada").digest
    kept = [e for e in edges_of(desk, index) if e[:2] != (10, 9)]
    desk.edit("ada", index, Edges(tuple(kept), False), seen=seen)
    after = dataset.conversation("observatory")
    target = next(t for t in after.targets if t.name == "charge_argument")
    assert 9 not in target.nodes
    assert not [p for p in validate(dataset) if not p.is_advice]
    others = [t for t in json.loads(path.read_bytes())["targets"] if t["name"] != target.name]
    assert others == [t for t in json.loads(before)["targets"] if t["name"] != target.name]
    assert desk.overview("ada")[index]["is_relabelled"]
    desk.undo("ada")
    assert path.read_bytes() == before


def test_tags_follow_the_graph(desk: ReviewDesk, dataset: Dataset) -> None:
    index = position(desk, "door_code")
    target = desk.open(index, "ada").target
    assert set(target.tags) == {"chained", "multi_source"}
    chain = [e for e in edges_of(desk, index) if e[:2] in ((12, 11), (11, 10), (10, 9))]
    desk.edit("ada", index, Edges(tuple(chain), True), seen=desk.open(index, "ada").digest)
    assert desk.open(index, "ada").target.tags == ("chained", "hallucination")
    assert not [p for p in validate(dataset) if not p.is_advice]


def test_an_edit_that_breaks_a_rule_changes_nothing(desk: ReviewDesk, dataset: Dataset) -> None:
    path = dataset.gold_path("observatory")
    before = path.read_bytes()
    index = position(desk, "charge_argument")
    seen = desk.open(index, "ada").digest
    good = edges_of(desk, index)
    for edges, message in (
        (
            [e for e in good if e[1] != 4],
            "turn 4: this turn is not reached|chain ends at this tool",
        ),
        ([*good, (8, 9, 0, 3)], "turn 8: depends on turn 9, which is not earlier"),
        ([*good, (10, 99, 0, 3)], "does not exist"),
        ([*good, (10, 7, 0, 10_000)], "offsets outside the turn"),
        ([], "depends on nothing"),
    ):
        with pytest.raises(RuleError, match=message):
            desk.edit("ada", index, Edges(tuple(edges), False), seen=seen)
    assert path.read_bytes() == before
    assert not (desk.folder / "ada.jsonl").exists()


def test_two_editors_do_not_overwrite_each_other(desk: ReviewDesk, dataset: Dataset) -> None:
    index = position(desk, "charge_argument")
    drawn = desk.open(index, "ada").digest
    edges = tuple(e for e in edges_of(desk, index) if e[:2] != (10, 9))
    desk.edit("ada", index, Edges(edges, False), seen=drawn)
    assert desk.open(index, "ada").digest == desk.open(index, "ada").gold != drawn

    # Bob, who has said nothing yet, sees what was drawn and nothing of ada's.
    blind = desk.open(index, "bob")
    assert (blind.digest, blind.versions) == (drawn, {})
    assert not desk.overview("bob")[index]["is_relabelled"]
    with pytest.raises(UnknownNameError, match="cannot be seen yet"):
        desk.open(index, "bob", blind.gold)
    adas = dataset.gold_path("observatory").read_bytes()
    desk.edit("bob", index, Edges(edges, True), seen=drawn)
    assert dataset.gold_path("observatory").read_bytes() == adas

    # Now he sees his own copy, and may look at hers, which is gold.
    bobs = desk.open(index, "bob")
    assert "hallucination" in bobs.target.tags
    assert bobs.versions == {bobs.gold: ["gold", "ada"], bobs.digest: ["bob"]}
    assert "hallucination" not in desk.open(index, "bob", bobs.gold).target.tags
    desk.judge("bob", index, W, note="", seen=bobs.gold)
    assert desk.overview("bob")[index]["is_relabelled"]

    # Ada takes his: it is gold, and can be taken back.
    with pytest.raises(ConflictError):
        desk.adopt("ada", index, bobs.digest, gold=drawn)
    desk.adopt("ada", index, bobs.digest, gold=bobs.gold)
    now = desk.open(index, "ada")
    assert now.versions == {bobs.digest: ["gold", "ada", "bob"]}
    assert "hallucination" in dataset.conversation("observatory").target("charge_argument").tags
    assert not [p for p in validate(dataset) if not p.is_advice]
    with pytest.raises(UnknownNameError, match="no such copy"):
        desk.adopt("ada", index, bobs.digest, gold=bobs.digest)
    desk.undo("ada")
    assert dataset.gold_path("observatory").read_bytes() == adas
    with pytest.raises(ConflictError):
        desk.judge("bob", index, C, note="", seen="0" * 16)


def test_an_undo_does_not_throw_a_later_edit_away(desk: ReviewDesk) -> None:
    index = position(desk, "charge_argument")
    edges = tuple(e for e in edges_of(desk, index) if e[:2] != (10, 9))
    desk.edit("ada", index, Edges(edges, False), seen=desk.open(index, "ada").digest)
    judge(desk, "bob", "charge_argument", W)
    gold = desk.open(index, "bob").digest  # he has judged, and is shown what ada made of it
    desk.edit("bob", index, Edges(edges, True), seen=gold)
    with pytest.raises(ConflictError):
        desk.undo("ada")


def test_reviewers_agree_on_the_graphs_that_each_came_to_alone(desk: ReviewDesk) -> None:
    """Three targets: both accept one, both edit one differently, one calls one wrong."""
    judge(desk, "ada", "door_code", C)
    judge(desk, "bob", "door_code", M)
    index = position(desk, "member_argument")
    drawn = desk.open(index, "ada").digest
    dependent, source, start, end = edges_of(desk, index)[0]
    one = ((dependent, source, start, end),)
    two = (*one, (4, 1, 0, 5))
    desk.edit("ada", index, Edges(one, False, comment="hers"), seen=drawn)
    desk.edit("bob", index, Edges(two, False, comment="his"), seen=drawn)
    judge(desk, "ada", "qualifies", C)
    judge(desk, "bob", "qualifies", W)
    # What is done after looking at each other's work does not count as agreement.
    desk.edit("bob", index, Edges(one, False, comment="yes"), seen=desk.open(index, "ada").digest)
    (found,) = desk.statistics()["graphs"]
    assert found["reviewers"] == ["ada", "bob"]
    assert (found["targets"], found["unmatched"]) == (2, 1)
    # Equal graphs, and one edge against two: F1 2/3; sources all of one and half of two.
    assert found["metrics"]["edge_f1"]["mean"] == pytest.approx((1 + 2 / 3) / 2)
    assert found["metrics"]["source_recall"]["mean"] == pytest.approx((1 + 3 / 4) / 2)
    assert found["same_tags"] == 0.5
    desk.undo("bob")
    assert desk.statistics()["graphs"] == [found]


def action(target: str, level: Judgement, digest: str = "old") -> Action:
    return Action("judge", "c", target, level, digest=digest)


def test_the_papers_table_comes_out_of_the_papers_counts() -> None:
    """100 targets: 87 correct, 11 minor, 2 wrong, one in direct and one in hallucination."""
    sizes = {"chained": 27, "chained+multi_source": 29, "direct": 24, "hallucination": 20}
    items = [
        Item("c", f"{bucket}{n}", bucket, "all", "old")
        for bucket, size in sizes.items()
        for n in range(size)
    ]
    wrong = {"direct0", "hallucination0"}
    minor = {f"hallucination{n}" for n in range(1, 12)}
    level = {i.target: W if i.target in wrong else M if i.target in minor else C for i in items}
    first = [action(i.target, level[i.target]) for i in items]
    now = {("c", i.target): "new" if i.target in wrong else "old" for i in items}
    sample = Sample(0, 100, tuple(items))

    table = acceptance(sample, [first], now)
    assert (table.overall.correct, table.overall.minor, table.overall.wrong) == (87, 11, 2)
    assert [round(100 * (r.pre or 0)) for r in table.rows()] == [100, 100, 96, 95, 98]
    assert [round(100 * (r.post or 0)) for r in table.rows()] == [100, 100, 96, 95, 98]
    assert table.overall.waiting == 2

    again = [*first, *(action(target, C, "new") for target in sorted(wrong))]
    table = acceptance(sample, [again], now)
    assert [round(100 * (r.pre or 0)) for r in table.rows()] == [100, 100, 96, 95, 98]
    assert [round(100 * (r.post or 0)) for r in table.rows()] == [100] * 5
    assert table.overall.waiting == 0


def test_a_reviewer_who_came_after_the_relabelling_counts_only_after_it() -> None:
    sample = Sample(0, 1, (Item("c", "t", "direct", "all", "old"),))
    table = acceptance(sample, [[action("t", W)], [action("t", C, "new")]], {("c", "t"): "new"})
    assert (table.overall.before, table.overall.pre) == (1, 0.0)
    assert (table.overall.after, table.overall.post) == (2, 0.5)


def test_kappa_of_a_worked_example() -> None:
    """20, 5, 10, 15: agreement 0.7, by chance 0.5, kappa 0.4."""
    pairs = [(C, C)] * 20 + [(C, W)] * 5 + [(W, C)] * 10 + [(W, W)] * 15
    assert cohens_kappa(pairs) == pytest.approx(0.4)
    assert cohens_kappa(pairs, weighted=True) == pytest.approx(0.4)  # only the ends are used
    assert cohens_kappa([]) is None
    assert cohens_kappa([(C, W), (W, C)]) == -1


@given(st.lists(st.tuples(st.sampled_from(Judgement), st.sampled_from(Judgement)), min_size=1))
def test_kappa_is_that_of_scikit_learn(pairs: list[tuple[Judgement, Judgement]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    levels = list(Judgement)
    for weighted in (False, True):
        ours = cohens_kappa(pairs, weighted=weighted)
        if ours is None:
            continue
        theirs = metrics.cohen_kappa_score(
            [levels.index(a) for a, _ in pairs],
            [levels.index(b) for _, b in pairs],
            labels=[0, 1, 2],
            weights="linear" if weighted else None,
        )
        assert ours == pytest.approx(theirs)


def test_reviewers_are_compared_on_their_first_judgement_of_the_same_graph() -> None:
    ada = [action("a", C), action("b", W), action("c", M), action("b", C, "new")]
    bob = [action("a", C), action("b", M), action("c", M, "new"), action("d", C)]
    (found,) = kappas([("ada", ada), ("bob", bob)])
    assert (found.reviewers, found.n, found.observed) == (("ada", "bob"), 2, 0.5)
    assert found.counts == ((1, 0, 0), (0, 0, 0), (0, 1, 0))


def test_statistics_of_two_reviewers(desk: ReviewDesk) -> None:
    for target, one, two in (("door_code", C, C), ("qualifies", W, M), ("member_argument", M, M)):
        judge(desk, "ada", target, one)
        judge(desk, "bob", target, two)
    found = desk.statistics()
    overall = found["acceptance"]["overall"]
    assert (overall["sampled"], overall["before"], overall["wrong"]) == (9, 6, 1)
    assert overall["pre"] == pytest.approx(5 / 6)
    assert found["by_reviewer"]["ada"]["overall"]["pre"] == pytest.approx(2 / 3)
    (pair,) = found["agreement"]
    assert pair["observed"] == pytest.approx(2 / 3)
    # By chance: C 1/3·1/3, M 1/3·2/3, W 1/3·0 → 1/3; kappa (2/3 - 1/3) / (2/3)
    assert pair["kappa"] == pytest.approx(0.5)


def test_graph_agreement_is_a_number(dataset: Dataset, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(dataset.folder, tmp_path / "other")
    other = Dataset(tmp_path / "other")
    same = graph_agreement(dataset, other)
    assert {metric: e.mean for metric, e in same.metrics.items()} == dict.fromkeys(
        ("edge_f1", "node_f1", "source_recall", "span_f1"), 1.0
    )
    assert (same.targets, same.unmatched, same.same_tags) == (9, 0, 1.0)
    desk = ReviewDesk.over(other, size=100, seed=3)
    index = position(desk, "member_argument")
    dependent, source, start, _ = edges_of(desk, index)[0]
    more = ((dependent, source, start, start + 2), (4, 1, 0, 5))
    desk.edit("ada", index, Edges(more, False), seen=desk.open(index, "ada").digest)
    found = graph_agreement(dataset, other)
    # One edge of one against two: F1 2/3. Sources: all of one, half of two.
    assert found.metrics["edge_f1"].mean == pytest.approx((8 + 2 / 3) / 9)
    assert found.metrics["source_recall"].mean == pytest.approx((8 + (1 + 1 / 2) / 2) / 9)
    assert found.metrics["span_f1"].mean < 1
    assert found.same_tags == pytest.approx(8 / 9)
    assert graph_agreement(other, dataset).metrics == found.metrics


def test_folders_with_nothing_in_common(dataset: Dataset, tmp_path: Path) -> None:
    (tmp_path / "other" / "conversations").mkdir(parents=True)
    source = dataset.conversation_path("refund").read_text("utf-8")
    (tmp_path / "other" / "conversations" / "refund.json").write_text(source, "utf-8")
    with pytest.raises(RunError, match="no target in common"):
        graph_agreement(dataset, Dataset(tmp_path / "other"))
