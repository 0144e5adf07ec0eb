"""Corrections of a folder: applied when it is read, said aloud, refused where they do not fit."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.bench.annotation.servers import RECORDED
from tests.bench.test_importing import confetti
from tokengeist.bench.corrections import FILE, Corrections, TargetCorrection, TurnCorrection
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.engines.processes import ProcessEngine
from tokengeist.bench.importing import write_conversations
from tokengeist.bench.importing.confetti import import_confetti
from tokengeist.bench.proposals import missing_years, propose
from tokengeist.bench.run import run
from tokengeist.bench.scoring import score
from tokengeist.bench.stats import describe
from tokengeist.bench.store import RunFolder
from tokengeist.bench.validation import validate
from tokengeist.bench.worker import Method
from tokengeist.cli.main import app
from tokengeist.errors import DatasetError, RunError
from tokengeist.transcript import Role, ToolCall, Transcript, Turn

BEFORE = "Your full refund is on its way"
AFTER = "You qualify for a full refund, which has not been made yet"
TARGET = TargetCorrection("refund", "refund_on_its_way", BEFORE, AFTER, "no refund was made")
TURN = TurnCorrection("refund", 0, "My trip is off.", "My trip of 4 May 2031 is off.", "no year")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("conversations", "gold"):
        shutil.copytree(RECORDED / name, tmp_path / "data" / name)
    return tmp_path / "data"


def corrected(folder: Path, *entries: TurnCorrection | TargetCorrection) -> Dataset:
    turns = tuple(entry for entry in entries if isinstance(entry, TurnCorrection))
    targets = tuple(entry for entry in entries if isinstance(entry, TargetCorrection))
    Corrections(turns, targets).write(folder / FILE)
    return Dataset(folder)


def files(folder: Path) -> dict[str, bytes]:
    found = folder.rglob("*.json")
    return {str(path): path.read_bytes() for path in found if path.name != FILE}


def test_a_corrected_turn_is_what_is_read(folder: Path) -> None:
    before, bytes_before = Dataset(folder).transcript("refund"), files(folder)
    dataset = corrected(folder, TURN)
    found = dataset.conversation("refund").transcript
    assert found.turns[0].text == before.turns[0].text.replace(TURN.before, TURN.after)
    assert found.turns[1:] == before.turns[1:]
    assert dataset.transcript("observatory") == Dataset(RECORDED).transcript("observatory")
    assert files(folder) == bytes_before
    assert not [p for p in validate(dataset) if not p.is_advice]


def test_a_corrected_target_stands_beside_the_wrong_one(folder: Path) -> None:
    bytes_before = files(folder)
    dataset = corrected(folder, TURN, TARGET)
    assert dataset.ids == ("observatory", "refund")
    assert dataset.corrected_ids == ("refund--refund_on_its_way",)
    conversation = dataset.conversation("refund--refund_on_its_way")
    (target,) = conversation.targets
    assert (target.corrected_from, target.tags) == (BEFORE, ("chained",))
    assert target.span.of(conversation.transcript.turns[4].text) == AFTER
    wrong = dataset.conversation("refund")
    assert wrong.target("refund_on_its_way").span.of(wrong.transcript.turns[4].text) == BEFORE
    assert conversation.transcript.turns[:4] == wrong.transcript.turns[:4]  # turn 0 corrected
    assert files(folder) == bytes_before
    assert not [p for p in validate(dataset) if not p.is_advice]


def test_the_graph_may_be_another_one(folder: Path) -> None:
    deps = {
        "4": {"depends_on": [0], "spans": {"0": "order QX-4471"}},
        "0": {"depends_on": [], "spans": {}},
    }
    dataset = corrected(folder, replace(TARGET, ground_truth_deps=deps))
    (target,) = dataset.conversation(TARGET.id).targets
    assert (target.tags, target.nodes) == (("direct",), (4, 0))
    lonely: dict[str, Any] = {"4": {"depends_on": [], "spans": {}}}
    dataset = corrected(folder, replace(TARGET, ground_truth_deps=lonely))
    (problem,) = [p for p in validate(dataset) if not p.is_advice]
    assert problem.file.endswith(FILE)
    assert "depends on nothing" in problem.message


def test_arguments_can_be_corrected(folder: Path) -> None:
    turn = TurnCorrection("observatory", 4, '"M-208"', '"M-209"')
    target = TargetCorrection("observatory", "charge_argument", "60.0", "72.5")
    calls = corrected(folder, turn).transcript("observatory").turns[4].calls
    assert json.loads(calls[0].arguments)["member"] == "M-209"
    calls = corrected(folder, target).transcript(target.id).turns[10].calls
    assert json.loads(calls[0].arguments)["charge"] == 72.5


def test_an_entry_that_nobody_filled_in_changes_nothing(folder: Path) -> None:
    dataset = corrected(folder, replace(TURN, after=TURN.before), replace(TARGET, after=BEFORE))
    assert dataset.corrections.counts() == {"turns": 0, "targets": 0, "waiting": 2}
    assert dataset.all_ids == dataset.ids
    assert dataset.transcript("refund") == Dataset(RECORDED).transcript("refund")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (replace(TURN, turn=9), r"turns\[1\] does not fit 'refund': there is no turn 9"),
        (replace(TURN, before="My trip is on."), r"turns\[1\] .*: turn 0: .* is not there"),
        (replace(TURN, before="o", after="0"), r"turn 0: 'o' stands there \d+ times"),
        (replace(TARGET, before="x"), r"targets\[0\] .*'refund_on_its_way' in turn 4 is not 'x'"),
        (replace(TARGET, target="gone"), r"targets\[0\] .*there is no target 'gone'"),
        (replace(TARGET, after=" "), "turn 4: the right value is empty"),
        (replace(TARGET, ground_truth_deps={}), "missing from 'ground_truth_deps'"),
    ],
)
def test_what_no_longer_fits_is_refused_by_every_command(
    folder: Path, tmp_path: Path, entry: TurnCorrection | TargetCorrection, said: str
) -> None:
    dataset = corrected(folder, TurnCorrection("observatory", 1, "OB-7314", "OB-7315"), entry)
    with pytest.raises(DatasetError, match=said) as error:
        dataset.check_corrections()
    assert str(folder / FILE) in str(error.value)
    with pytest.raises(DatasetError, match=said):
        run(dataset, tmp_path / "run", Method("lexical"))
    assert not (tmp_path / "run").exists()
    assert [p for p in validate(dataset) if FILE in str(p) and not p.is_advice]
    for arguments in (("stats", folder), ("run", folder, "--out", tmp_path / "run")):
        done = CliRunner().invoke(app, ["bench", *map(str, arguments)])
        assert isinstance(done.exception, DatasetError)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "an object of 'turns' and 'targets'"),
        ('{"turn": []}', "an object of 'turns' and 'targets'"),
        ('{"turns": {}}', "turns: a list"),
        ('{"turns": [{"turn": 1}]}', r"turns\[0\]: a correction has conversation, turn, before"),
        (
            '{"turns": [{"conversation": "x", "turn": "1", "before": "", "after": ""}]}',
            r"turns\[0\]: 'turn' cannot be '1'",
        ),
        (
            '{"targets": [{"conversation": "refund", "target": "a", "before": "", "after": "",'
            ' "ground_truth_deps": []}]}',
            r"targets\[0\]: 'ground_truth_deps' cannot be \[\]",
        ),
        (
            '{"turns": [{"conversation": "y", "turn": 1, "before": "", "after": ""}]}',
            "corrects what is not there: y",
        ),
    ],
)
def test_a_file_that_is_none(folder: Path, text: str, said: str) -> None:
    (folder / FILE).write_text(text, "utf-8")
    with pytest.raises(DatasetError, match=said):
        Dataset(folder)


def test_one_target_cannot_be_corrected_twice(folder: Path) -> None:
    with pytest.raises(DatasetError, match="is corrected twice"):
        corrected(folder, TARGET, replace(TARGET, after="something else"))


def test_runs_trace_the_corrected_data_and_scores_keep_it_apart(
    folder: Path, tmp_path: Path
) -> None:
    plain, method = Dataset(folder), Method("lexical")
    run(plain, tmp_path / "plain", method)
    before = score(plain, RunFolder(tmp_path / "plain"))
    dataset = corrected(folder, TARGET)
    with pytest.raises(RunError, match="over other data"):  # corrections make it another benchmark
        run(dataset, tmp_path / "plain", method)
    out = tmp_path / "run"
    summary = run(dataset, out, method, engine=ProcessEngine(1))
    assert (summary.conversations, summary.targets, summary.errors) == (3, 10, 0)
    meta = json.loads((out / "meta.json").read_bytes())
    assert meta["status"] == "complete"
    assert meta["data"]["corrections"] == {"turns": 0, "targets": 1, "waiting": 0}
    assert run(dataset, out, method).resumed == 3
    after = score(dataset, RunFolder(out))
    assert (after.overall, after.by_tag, after.targets) == (before.overall, before.by_tag, 9)
    assert before.corrected == {}
    assert after.corrected["evidence_f1"].n == 1
    assert after.corrected["node_f1"].mean > 0
    stats = describe(dataset)
    assert (stats.conversations, stats.targets) == (2, 9)
    assert stats.json()["corrections"]["targets"] == 1


def test_what_a_worker_is_given_is_what_is_read(folder: Path) -> None:
    from tokengeist.bench.dataset import parse_conversation, parse_gold

    dataset = corrected(folder, TURN, TARGET)
    for id in dataset.all_ids:
        talk, gold = dataset.files(id)
        transcript = parse_conversation(talk, id=id, origin=id)
        assert transcript.fingerprint == dataset.transcript(id).fingerprint
        assert parse_gold(gold, transcript, file=id).targets == dataset.conversation(id).targets


def test_commands_say_what_was_corrected(folder: Path, tmp_path: Path) -> None:
    corrected(folder, TURN, TARGET)
    notice = "1 turns corrected, 1 corrected targets added"

    def call(*arguments: object) -> Any:
        done = CliRunner().invoke(app, ["bench", *map(str, arguments)], catch_exceptions=False)
        assert done.exit_code == 0
        assert notice in done.stderr
        return done.stdout

    counts = {"turns": 1, "targets": 1, "waiting": 0}
    assert json.loads(call("validate", folder, "--json"))["corrections"] == counts
    assert json.loads(call("stats", folder, "--json"))[0]["corrections"] == counts
    assert "Corrected turns" in call("stats", folder)
    out = tmp_path / "run"
    (summary,) = json.loads(call("run", folder, "--out", out, "--json"))
    assert summary["corrections"] == counts
    assert json.loads(call("score", folder, out, "--json"))["corrections"] == counts
    assert "corrected targets: Evidence F1" in call("score", folder, out)
    done = CliRunner().invoke(app, ["bench", "correct", str(folder)])
    assert f"- {BEFORE}\n  + {AFTER}" in done.stdout
    assert notice in done.stdout


def test_missing_years_and_hallucinations_are_proposed_reviewed_and_applied(
    folder: Path, tmp_path: Path
) -> None:
    write_conversations(import_confetti(confetti(tmp_path / "data.json")), folder)
    done = CliRunner().invoke(
        app, ["bench", "correct", str(folder), "--propose", str(tmp_path / "proposed.json")]
    )
    assert "1 turns and 1 targets to review, 1 of them to fill in" in done.stdout
    proposed = Corrections.read(tmp_path / "proposed.json")
    (turn,), (target,) = proposed.turns, proposed.targets  # 6 May is in no call, 3 March has a year
    assert turn.after == "Book me a room in Rome from May 4th, 2025 to the 6th of May."
    assert "May 4th is in 2025" in turn.reason
    assert (target.target, target.before, target.after) == (TARGET.target, BEFORE, BEFORE)
    dataset = corrected(folder, turn, replace(target, after=AFTER))
    assert dataset.transcript("confetti-aaa").turns[0].text == turn.after
    again = propose(dataset)  # nothing is proposed twice
    assert (again.turns, again.targets) == (dataset.corrections.turns, dataset.corrections.targets)


@pytest.mark.parametrize(
    ("said", "corrected"),
    [
        ("from the 4th to 6 May", "from the 4th of May 2031 to 6 May 2031"),
        ("on the 4th of May", "on the 4th of May 2031"),
        ("on the 4th of May, 2030", None),
        ("the 7th", None),  # in no call
        ("the 12th time", None),  # calls disagree
        ("Mai 4", None),
    ],
)
def test_what_a_date_lacks_is_taken_from_the_calls(said: str, corrected: str | None) -> None:
    dates = ("2031-05-04", "2031-05-06", "2031-05-12", "2031-06-12", "2031-13-07")
    call = ToolCall("f", json.dumps(dates))
    turns = (Turn(0, Role.USER, said), Turn(1, Role.ASSISTANT, calls=(call,)))
    found = [entry.after for entry in missing_years(Transcript(turns))]
    assert found == ([] if corrected is None else [corrected])


def test_calls_that_disagree_on_a_year_propose_nothing() -> None:
    call = ToolCall("f", '{"a": "2024-05-04", "b": "2025-05-04"}')
    turns = (Turn(0, Role.USER, "on May 4"), Turn(1, Role.ASSISTANT, calls=(call,)))
    assert list(missing_years(Transcript(turns))) == []


def test_the_page_shows_the_corrected_conversation_with_its_gold(folder: Path) -> None:
    from tokengeist.server.benchmarks import Benchmarks
    from tokengeist.server.catalogue import Catalogue

    corrected(folder, TURN)
    catalogue = Catalogue([folder])
    catalogue.scan()
    (entry,) = (entry for entry in catalogue.find() if entry.id == "refund")
    transcript = catalogue.transcript(entry.key)
    assert TURN.after in transcript.turns[0].text
    assert len(Benchmarks(catalogue).traces_for(entry.path, transcript, None)) == 3
