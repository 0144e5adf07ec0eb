"""Runs: what they write, and that nothing short of losing the disk can spoil them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.bench.worlds import make_dataset
from tokengeist.attribution.registry import BackendOptions
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.predictions import Prediction
from tokengeist.bench.run import run, run_repeats
from tokengeist.bench.scoring import score
from tokengeist.bench.store import RunFolder
from tokengeist.bench.worker import Method
from tokengeist.errors import DatasetError, RunError, UnknownNameError
from tokengeist.extraction import prune

LEXICAL = Method("lexical")
TEST = Method("test")


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "predictions.jsonl").read_text().splitlines()]


def timeless(folder: Path) -> list[dict[str, Any]]:
    return [{key: row[key] for key in row if key != "seconds"} for row in lines(folder)]


def evidence(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "evidence.jsonl").read_text().splitlines()]


def readings(pids: Path) -> list[str]:
    """The conversations that the backend `test` has read so far, in order."""
    return [line.split()[1] for line in pids.read_text().splitlines()] if pids.exists() else []


@pytest.mark.parametrize("odd", ["\u2028", "\x85", "\ud800"])
def test_any_name_is_read_back(dataset: Dataset, tmp_path: Path, odd: str) -> None:
    path = dataset.gold_path("c0")
    gold = json.loads(path.read_bytes())
    gold["targets"][0]["name"] = f"fee{odd}total"
    path.write_text(json.dumps(gold))
    assert run(dataset, tmp_path / "run", LEXICAL).errors == 0
    assert score(dataset, RunFolder(tmp_path / "run")).targets == 18
    assert run(dataset, tmp_path / "run", LEXICAL).resumed == 6


def test_a_run_is_not_gone_on_with_after_its_files_changed(
    dataset: Dataset, tmp_path: Path
) -> None:
    probe = tmp_path / "probe.bin"
    probe.write_bytes(b"one")
    method = Method("lexical", BackendOptions(probe=str(probe)))
    run(dataset, tmp_path / "run", method, limit=1)
    assert run(dataset, tmp_path / "run", method, limit=2).resumed == 1
    probe.write_bytes(b"another")
    with pytest.raises(RunError, match="whose files have changed"):
        run(dataset, tmp_path / "run", method)
    assert len(lines(tmp_path / "run")) == 6


def test_a_line_is_what_the_format_says(dataset: Dataset, tmp_path: Path) -> None:
    summary = run(dataset, tmp_path / "run", LEXICAL)
    assert (summary.conversations, summary.targets, summary.errors) == (6, 18, 0)
    rows = lines(tmp_path / "run")
    assert [(row["conversation_id"], row["target"]) for row in rows] == [
        (id, name) for id in dataset.ids for name in ("hall", "two_people", "order_argument")
    ]
    row = rows[0]
    assert list(row) == [
        "conversation_id", "target", "target_turn", "nodes", "edges", "unpruned_edges", "seconds",
        "error",
    ]  # fmt: skip
    assert row["target_turn"] == 6
    assert row["error"] is None
    assert row["seconds"] > 0
    for dependent, source, value, kind in row["unpruned_edges"]:
        assert source < dependent <= 6
        assert value > 0
        assert kind in ("attribution", "structural")
    assert all(edge in row["unpruned_edges"] for edge in row["edges"])
    assert {n["turn"] for n in row["nodes"]} == {6} | {e[1] for e in row["edges"]}
    text = dataset.conversation("c0").transcript.turns
    for node in row["nodes"]:
        assert all(0 <= start < end <= len(text[node["turn"]].text) for start, end in node["spans"])


def test_the_pruned_graph_follows_from_the_unpruned_one(dataset: Dataset, tmp_path: Path) -> None:
    run(dataset, tmp_path / "run", LEXICAL)
    for line in (tmp_path / "run" / "predictions.jsonl").read_text().splitlines():
        prediction = Prediction.parse(line)
        assert prediction.line() == line
        conversation = dataset.conversation(prediction.conversation_id)
        (gold,) = [t for t in conversation.targets if t.name == prediction.target]
        pruned = prune(prediction.unpruned_graph(gold, conversation.transcript))
        assert [(e.dependent, e.source) for e in pruned.edges] == [e[:2] for e in prediction.edges]


def test_the_evidence_of_every_unpruned_edge_stands_beside_it(
    dataset: Dataset, tmp_path: Path
) -> None:
    run(dataset, tmp_path / "run", LEXICAL)
    rows, found = lines(tmp_path / "run"), evidence(tmp_path / "run")
    for row, stored in zip(rows, found, strict=True):
        assert (stored["conversation_id"], stored["target"]) == (
            row["conversation_id"],
            row["target"],
        )
        assert len(stored["unpruned_spans"]) == len(row["unpruned_edges"])
        turns = dataset.conversation(row["conversation_id"]).transcript.turns
        for (_, source, _, _), spans in zip(
            row["unpruned_edges"], stored["unpruned_spans"], strict=True
        ):
            assert spans
            assert all(0 <= start < end <= len(turns[source].text) for start, end in spans)


def test_evidence_survives_what_predictions_survive(
    dataset: Dataset, tmp_path: Path, pids: Path
) -> None:
    run(dataset, tmp_path / "run", TEST)
    whole = evidence(tmp_path / "run")
    for name in ("predictions.jsonl", "evidence.jsonl"):  # as a kill between the two would
        path = tmp_path / "run" / name
        os.truncate(path, path.stat().st_size - 50)
    run(dataset, tmp_path / "run", TEST)
    assert evidence(tmp_path / "run") == whole
    assert readings(pids) == [*dataset.ids, "c5"]


def test_the_meta_data_say_what_was_run(dataset: Dataset, tmp_path: Path) -> None:
    run(dataset, tmp_path / "run", LEXICAL)
    meta = RunFolder(tmp_path / "run").meta()
    assert meta["status"] == "complete"
    assert meta["made_by"] == {"name": "lexical", "model": None, "options": {}}
    assert meta["method"]["trace"]["top_k"] == 3
    assert meta["method"]["view"]["alpha"] == 0.85
    assert meta["data"]["conversations"] == 6
    assert meta["versions"]["python"] == ".".join(map(str, sys.version_info[:3]))
    assert meta["machine"]["cpus"] == os.cpu_count()
    assert meta["timings"]["target_seconds_mean"] > 0
    assert meta["sessions"][0]["conversations"] == 6


def test_all_targets_of_a_conversation_share_one_reading(
    dataset: Dataset, tmp_path: Path, pids: Path
) -> None:
    run(dataset, tmp_path / "run", TEST)
    assert readings(pids) == list(dataset.ids)


def test_a_finished_run_is_not_repeated(dataset: Dataset, tmp_path: Path, pids: Path) -> None:
    run(dataset, tmp_path / "run", TEST)
    before = lines(tmp_path / "run")
    summary = run(dataset, tmp_path / "run", TEST)
    assert (summary.resumed, summary.conversations) == (6, 6)
    assert lines(tmp_path / "run") == before
    assert len(readings(pids)) == 6


def test_a_limit_can_be_raised_later(dataset: Dataset, tmp_path: Path, pids: Path) -> None:
    run(dataset, tmp_path / "run", TEST, limit=2)
    folder = RunFolder(tmp_path / "run")
    assert folder.meta()["status"] == "limited"
    found = score(dataset, folder)
    assert (found.targets, found.missing) == (6, 12)
    run(dataset, tmp_path / "run", TEST)
    assert folder.meta()["status"] == "complete"
    assert readings(pids) == list(dataset.ids)


@pytest.mark.parametrize("cut", [1, 100, 900])
def test_a_torn_end_is_dropped_and_done_again(
    dataset: Dataset, tmp_path: Path, pids: Path, cut: int
) -> None:
    run(dataset, tmp_path / "run", TEST)
    whole = timeless(tmp_path / "run")
    path = tmp_path / "run" / "predictions.jsonl"
    os.truncate(path, path.stat().st_size - cut)
    run(dataset, tmp_path / "run", TEST)
    assert timeless(tmp_path / "run") == whole
    assert readings(pids) == [*dataset.ids, "c5"]


def test_a_damaged_middle_is_done_again(dataset: Dataset, tmp_path: Path, pids: Path) -> None:
    run(dataset, tmp_path / "run", TEST)
    whole = timeless(tmp_path / "run")
    path = tmp_path / "run" / "predictions.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"c2", "target": "hall"', b'"c2", "tar\x00et": 1'))
    run(dataset, tmp_path / "run", TEST)
    assert timeless(tmp_path / "run") == whole
    assert readings(pids) == [*dataset.ids, "c2"]


def test_a_damaged_line_is_not_scored_around(dataset: Dataset, tmp_path: Path) -> None:
    run(dataset, tmp_path / "run", LEXICAL)
    path = tmp_path / "run" / "predictions.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"c2", "target": "hall"', b'"c2", "tar\x00et": 1'))
    with pytest.raises(RunError, match=r"predictions.jsonl, line 7 is damaged.* `bench run`"):
        score(dataset, RunFolder(tmp_path / "run"))
    path.write_bytes(whole[: whole.index(b'"c5"') + 9])
    assert score(dataset, RunFolder(tmp_path / "run")).missing == 3


def test_one_bad_conversation_is_an_error_row(tmp_path: Path, pids: Path) -> None:
    dataset = Dataset(make_dataset(tmp_path / "data", ["a", "bad", "c", "d", "e"]))
    dataset.conversation_path("c").write_text("{]")
    dataset.gold_path("d").unlink()
    summary = run(dataset, tmp_path / "run", TEST)
    assert summary.errors == 7
    assert summary.first_error == "bad: ZeroDivisionError: this conversation is bad"
    rows = {id: [r for r in lines(tmp_path / "run") if r["conversation_id"] == id] for id in "acde"}
    assert [row["error"] for row in rows["a"] + rows["e"]] == [None] * 6
    assert [row["target"] for row in rows["c"]] == ["hall", "two_people", "order_argument"]
    assert all("not JSON" in row["error"] and row["edges"] == [] for row in rows["c"])
    (missing,) = rows["d"]
    assert missing["target"] is None
    assert "No such file" in missing["error"]
    bad = [row for row in lines(tmp_path / "run") if row["conversation_id"] == "bad"]
    assert {row["error"] for row in bad} == {"ZeroDivisionError: this conversation is bad"}


def test_data_without_any_gold_are_refused(dataset: Dataset, tmp_path: Path) -> None:
    for path in (dataset.folder / "gold").iterdir():
        path.unlink()
    with pytest.raises(DatasetError, match="there is no target to trace; make gold with"):
        run(dataset, tmp_path / "run", LEXICAL)
    assert not (tmp_path / "run").exists()


def test_failed_conversations_are_done_again_on_request(tmp_path: Path, pids: Path) -> None:
    dataset = Dataset(make_dataset(tmp_path / "data", ["a", "bad"]))
    run(dataset, tmp_path / "run", TEST)
    run(dataset, tmp_path / "run", TEST)
    assert readings(pids) == ["a", "bad"]
    run(dataset, tmp_path / "run", TEST, retry_errors=True)
    assert readings(pids) == ["a", "bad", "bad"]
    assert len(lines(tmp_path / "run")) == 6


def test_failed_targets_score_as_empty_graphs(tmp_path: Path, pids: Path) -> None:
    dataset = Dataset(make_dataset(tmp_path / "data", ["a", "bad"]))
    run(dataset, tmp_path / "run", TEST)
    found = score(dataset, RunFolder(tmp_path / "run"))
    assert (found.targets, found.errors) == (6, 3)
    alone = Dataset(make_dataset(tmp_path / "alone", ["a"]))
    run(alone, tmp_path / "good", TEST)
    good = score(alone, RunFolder(tmp_path / "good")).overall["edge_f1"].mean
    assert found.overall["edge_f1"].mean == pytest.approx(good / 2)


def test_an_unusable_backend_ends_the_run_at_once(dataset: Dataset, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'lexical'"):
        run(dataset, tmp_path / "run", Method("lexcal"))


def test_another_run_is_not_overwritten(dataset: Dataset, tmp_path: Path) -> None:
    run(dataset, tmp_path / "run", LEXICAL)
    with pytest.raises(RunError, match="another options"):
        run(dataset, tmp_path / "run", Method("lexical", BackendOptions(seed=1)))
    path = dataset.gold_path("c0")
    path.write_text(path.read_text() + "\n")
    with pytest.raises(RunError, match="over other data"):
        run(dataset, tmp_path / "run", LEXICAL)


def test_two_writers_are_one_too_many(dataset: Dataset, tmp_path: Path) -> None:
    with (
        RunFolder(tmp_path / "run").locked(),
        pytest.raises(RunError, match="another process is writing"),
    ):
        run(dataset, tmp_path / "run", LEXICAL)


def test_repeats_count_up_the_seed(dataset: Dataset, tmp_path: Path) -> None:
    run_repeats(dataset, tmp_path / "runs", LEXICAL, 3)
    folders = RunFolder(tmp_path / "runs").repeats()
    assert [f.meta()["method"]["options"]["seed"] for f in folders] == [0, 1, 2]
    assert timeless(folders[0].path) == timeless(folders[2].path)


def command(dataset: Dataset, out: Path, *extra: str) -> list[str]:
    call = "from tokengeist.cli.bench import app; app()"
    return [
        *(sys.executable, "-c", call, "run", str(dataset.folder)),
        *("--out", str(out), "--backend", "test", *extra),
    ]


def environment(tmp_path: Path, nap: float) -> dict[str, str]:
    path = os.pathsep.join([str(tmp_path / "site"), *sys.path])
    return os.environ | {"PYTHONPATH": path, "TEST_NAP": str(nap)}


def wait_for_lines(folder: Path, count: int) -> None:
    path = folder / "predictions.jsonl"
    for _ in range(2400):
        if path.exists() and path.read_bytes().count(b"\n") >= count:
            return
        time.sleep(0.05)
    raise AssertionError(f"{path} never had {count} lines")


@pytest.mark.parametrize("extra", [(), ("--workers", "2")])
def test_a_killed_run_resumes_where_it_was(
    dataset: Dataset, tmp_path: Path, pids: Path, extra: tuple[str, ...]
) -> None:
    out = tmp_path / "run"
    process = subprocess.Popen(
        command(dataset, out, *extra), env=environment(tmp_path, 0.3), stdout=subprocess.DEVNULL
    )
    wait_for_lines(out, 6)
    process.kill()
    process.wait()
    before = lines(out)
    done = {row["conversation_id"] for row in before}
    assert 2 <= len(done) < 6
    again = subprocess.run(
        command(dataset, out, *extra), env=environment(tmp_path, 0), capture_output=True, check=True
    )
    assert b"18 targets of 6 conversations" in again.stdout
    rows = lines(out)
    assert all(row in rows for row in before)  # kept as they were, to the timing
    assert [row["conversation_id"] for row in rows] == [id for id in dataset.ids for _ in range(3)]
    read = readings(pids)
    assert all(read.count(id) == 1 for id in done)


def test_ctrl_c_stops_cleanly(dataset: Dataset, tmp_path: Path, pids: Path) -> None:
    out = tmp_path / "run"
    process = subprocess.Popen(
        command(dataset, out, "--workers", "2"),
        env=environment(tmp_path, 0.5),
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    wait_for_lines(out, 3)
    os.killpg(process.pid, signal.SIGINT)  # what a terminal does: everybody gets it
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Traceback" not in said
    for pid in {int(line.split()[0]) for line in pids.read_text().splitlines()}:
        assert not Path(f"/proc/{pid}").exists()
    assert len(lines(out)) % 3 == 0


def test_a_full_disk_loses_nothing(dataset: Dataset, tmp_path: Path, pids: Path) -> None:
    out = tmp_path / "run"
    limited = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000));"
        "from tokengeist.cli import main; from tokengeist.cli.bench import app;"
        "main.app = app; main.main()"
    )
    call = command(dataset, out)
    call[2] = limited
    full = subprocess.run(call, env=environment(tmp_path, 0), capture_output=True, check=False)
    assert full.returncode == 2
    assert b"File too large" in full.stderr
    assert b"run the same command again" in full.stderr
    done = readings(pids)[:-1]
    assert done
    subprocess.run(command(dataset, out), env=environment(tmp_path, 0), check=True)
    assert len(lines(out)) == 18
    assert all(readings(pids).count(id) == 1 for id in done)
