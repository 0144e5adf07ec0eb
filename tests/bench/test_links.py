"""Labels of one hop: their files, and what is fitted to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from typer.testing import CliRunner

from benchmarks.tau import __main__ as tau
from tests.bench.worlds import make_dataset
from tokengeist.attribution.blend.model import BIAS, shipped_weights, starting_weights
from tokengeist.attribution.blend.revision import CUES
from tokengeist.bench import revision_training
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.fit import weights_json
from tokengeist.bench.links import Linked, graphs, linked, links_digest, links_json
from tokengeist.bench.revision import fit_revision, read_datasets
from tokengeist.bench.transfer import each
from tokengeist.cli.main import app
from tokengeist.errors import DatasetError
from tokengeist.models.sentences import SentenceModel
from tokengeist.transcript import Target, locate_target

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def hops(tmp_path: Path) -> Dataset:
    """A folder without gold graphs: two conversations, one of them labelled."""
    dataset = Dataset(make_dataset(tmp_path / "hops", ["h-1", "h-2"]))
    for id in dataset.ids:
        dataset.gold_path(id).unlink()
    transcript = dataset.transcript("h-1")
    found = Linked(
        transcript,
        (
            (Target(4, (transcript.turns[4].whole,)), (3,)),
            (locate_target(transcript, "it needs two people"), (0, 3)),
        ),
    )
    folder = dataset.folder / "links"
    folder.mkdir()
    (folder / "h-1.json").write_text(json.dumps(links_json(found)))
    return dataset


def test_labels_are_read_as_they_were_written(hops: Dataset) -> None:
    (found,) = linked(hops)
    assert found.transcript.id == "h-1"
    assert [(target.turn, sources) for target, sources in found.hops] == [(4, (3,)), (6, (0, 3))]
    assert links_json(found) == json.loads((hops.folder / "links" / "h-1.json").read_text())
    assert list(linked(hops, ["h-2"])) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"fingerprint": "x"}, "another version"),
        ({"links": [[1, [[0, 2]], [0]]]}, "turn 1 is not the assistant's"),
        ({"links": [[6, [[0, 2000]], [0]]]}, "turn 6 has no such span"),
        ({"links": [[4, [[0, 2]], [5]]]}, "source of turn 4 is not before it"),
        ({"links": [[4]]}, "h-1.json"),
        ({"links": None}, "h-1.json"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(
    hops: Dataset, change: dict[str, object], message: str
) -> None:
    path = hops.folder / "links" / "h-1.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(DatasetError, match=message):
        list(linked(hops))


def test_another_label_is_another_digest(hops: Dataset) -> None:
    before = links_digest(hops)
    path = hops.folder / "links" / "h-1.json"
    path.write_text(path.read_text().replace("[0, 3]", "[0]"))
    assert links_digest(hops) != before


def test_folders_of_labels_only_are_fitted_on_and_not_tested(hops: Dataset, tmp_path: Path) -> None:
    gold = Dataset(make_dataset(tmp_path / "gold", ["g-1"]))
    more = Dataset(make_dataset(tmp_path / "more", ["m-1"]))
    assert list(graphs(hops)) == []
    assert weights_json([gold, hops]) == weights_json([gold])
    assert [tested.name for tested, _ in each([gold, more, hops])] == ["gold", "more"]
    model = SentenceModel.find("a test")
    (talk,) = read_datasets([hops], model)
    assert (len(talk.hops), talk.is_gold) == (1, False)  # the call is not prose
    assert len(read_datasets([gold, hops], model)) == 2


def test_a_folder_without_either_is_an_error(hops: Dataset) -> None:
    (hops.folder / "links" / "h-1.json").unlink()
    with pytest.raises(DatasetError, match=r"gold/h-1\.json cannot be read"):
        weights_json([hops])


def test_without_prose_there_is_nothing_to_learn() -> None:
    with pytest.raises(DatasetError, match="no prose"):
        fit_revision([], "", shipped_weights())


def test_a_revision_is_two_files(hops: Dataset) -> None:
    for named in ([], ["-o", str(hops.folder / "x.safetensors")]):
        done = CliRunner().invoke(app, ["fit", str(hops.folder), "--model", "minilm", *named])
        assert done.exit_code == 2
        assert "two files" in done.output


def test_training_and_tracing_compute_the_same(
    tmp_path: Path, hops: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By torch for many hops at once, and by numpy for one."""
    gold = Dataset(make_dataset(tmp_path / "gold", ["g-1"]))
    free = shipped_weights()
    talks = read_datasets([gold, hops], SentenceModel.find("a test"))
    monkeypatch.setattr(revision_training, "RATE", 0.05)  # far from where everything is 0
    made: dict[str, Any] = {}

    class Kept(revision_training._Net):
        def revision(self, name, places):  # type: ignore[no-untyped-def]
            made["net"], made["places"] = self, places
            return super().revision(name, places)

    monkeypatch.setattr(revision_training, "_Net", Kept)
    found = fit_revision(talks, "", free)
    net = made["net"].train(False)
    for talk in (talk for talk in talks if talk.is_gold):
        batch = revision_training._batch(talk, free, made["places"])
        with torch.no_grad():
            odds = torch.sigmoid(net(batch))
        for row, hop in enumerate(talk.hops):
            got = found.probabilities(hop.turn, hop.candidates(free), hop.views, talk.passages)
            wanted = {turn: float(odds[row, turn]) for turn in got}
            assert got == pytest.approx(wanted, abs=2e-3)
            assert len({round(p, 2) for p in got.values()}) > 1


def test_no_feature_has_the_name_of_a_cue() -> None:
    """They share one list of weights."""
    for group, entries in starting_weights().items():
        if group.startswith("prose/"):
            assert entries.keys() & set(CUES) == {BIAS}


def test_training_explains_what_it_was_given(tmp_path: Path) -> None:
    """Labels that the model-free part would not guess are learned, and the same way every time."""
    gold = Dataset(make_dataset(tmp_path / "gold", [f"g-{n}" for n in range(30)]))
    free = shipped_weights()
    talks = read_datasets([gold], SentenceModel.find("a test"))
    first, second = (fit_revision(talks, "", free) for _ in range(2))
    for role, weights in second.weights.items():
        assert first.weights[role] == pytest.approx(weights, abs=1e-4)
    before, after = [], []
    for talk in talks:
        for hop in talk.hops:
            candidates = hop.candidates(free)
            revised = first.probabilities(hop.turn, candidates, hop.views, talk.passages)
            for (page, group, values, _), one in zip(hop.found, candidates, strict=True):
                is_source = one.turn in hop.sources
                free_p = free.probability(group, values)
                before.append(abs(is_source - free_p))
                after.append(abs(is_source - revised[page.index]))
    assert sum(after) < 0.9 * sum(before)


def test_the_shipped_labels_fit_their_conversations() -> None:
    folders = [*sorted((BENCHMARKS / "handwritten").glob("*/")), BENCHMARKS / "hops"]
    talks = [talk for folder in folders for talk in linked(Dataset(folder))]
    assert len(talks) > 300
    assert sum(len(talk.hops) for talk in talks) > 9000
    for talk in talks:
        assert all(sources for _, sources in talk.hops)


def test_labels_of_tau_bench_stand_beside_its_conversations(
    shared_data: Path, tmp_path: Path
) -> None:
    runs = tau.runs(shared_data / "tau")
    count = tau.assemble(tau.GOLD / "hops", runs, tmp_path / "tau-hops", "links")
    assert len(list(linked(Dataset(tmp_path / "tau-hops")))) == count
