"""The benchmark code itself, on a tiny model: that it runs, and that its table says what it saw."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import conversations as data
from benchmarks.finished import Finished
from benchmarks.peers.__main__ import RIVALS, row
from benchmarks.peers.contenders import CONTENDERS
from benchmarks.peers.match import ROUNDS, play
from benchmarks.peers.question import Question, make_question
from benchmarks.peers.timing import Answered, Ask, ContenderError, contender
from benchmarks.reading import CloseLook, ReadingFigures, measure
from benchmarks.table import print_reading
from tokengeist.models.loading import LoadedModel

FIGURES = ReadingFigures(
    id="a",
    tokens=1000,
    targets=3,
    read_and_trace=9.0,
    bare=10.0,
    slowest_span=0.012,
)
LOOK = CloseLook(bare_without_head=7.5, hops=12, per_hop=90.0)


def test_a_conversation_is_measured(tiny: LoadedModel) -> None:
    conversation = next(data.synthetic(1))

    figures = measure(tiny, conversation, closely=True, clock=time.perf_counter)

    assert figures.targets == len(conversation.targets)
    assert min(figures.read_and_trace, figures.bare, figures.slowest_span) > 0
    look = figures.closely
    assert look is not None
    assert look.hops >= figures.targets  # a target is a hop, and most have more behind them
    assert look.per_hop > look.bare_without_head > 0


def test_synthetic_conversations_stand_in_for_absent_ones(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(data, "ANNOTATED", tmp_path / "absent")
    found = data.conversations()
    assert len(found) == data.SYNTHETIC
    assert [c.id for c in data.conversations(only=[found[3].id])] == [found[3].id]
    assert [c.id for c in data.conversations(limit=2)] == [c.id for c in found[:2]]


def test_the_sample_is_of_all_lengths() -> None:
    chosen = list(data.synthetic(7))
    lengths = sorted(sum(len(turn.text) for turn in c.transcript.turns) for c in chosen)
    sample = [sum(len(turn.text) for turn in c.transcript.turns) for c in data.spread(chosen, 3)]
    assert sample == [lengths[0], lengths[2], lengths[4]]
    assert len(data.spread(chosen, 100)) == 7
    assert data.spread(chosen, 0) == []


def test_a_stopped_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "figures.jsonl"
    Finished(path).add(FIGURES)
    Finished(path).add(replace(FIGURES, id="b", closely=LOOK))
    again = Finished(path)
    assert again.get("a") == FIGURES
    assert again.get("b") == replace(FIGURES, id="b", closely=LOOK)
    assert again.get("c") is None


def test_the_table_weighs_conversations_by_what_they_cost(
    capsys: pytest.CaptureFixture[str],
) -> None:
    long = replace(FIGURES, tokens=9000, read_and_trace=36.0, bare=30.0, slowest_span=0.04)
    hopped = replace(FIGURES, closely=LOOK)
    print_reading([long, hopped], window=8192)
    printed = capsys.readouterr().out
    assert "1.12x" in printed  # 45 of 40 seconds
    assert "1 that fit into the model's window: 0.90x to 0.90x each" in printed
    assert "1 longer ones, read in several windows: 1.20x to 1.20x each" in printed
    assert "40 ms" in printed
    assert "10.0x" in printed  # 90 to 9: only where both were measured
    assert "language-model head: 1.20x" in printed


def test_a_question_is_about_its_context(tmp_path: Path) -> None:
    question = make_question(1000)
    assert question.response[question.start : question.end].strip()
    assert 2500 < len(question.context) < 6000  # some 1,000 tokens
    question.save(tmp_path / "question.json")
    assert Question.load(tmp_path / "question.json") == question


def test_a_contender_runs_in_its_own_process(embedded: LoadedModel, tmp_path: Path) -> None:
    question = Question(
        model=str(embedded.model.name_or_path),
        context="The ferry leaves at nine. The museum is closed on Mondays.",
        query="When does the ferry leave?",
        response="At nine.",
        start=3,
        end=7,
    )
    path = tmp_path / "question.json"
    question.save(path)
    python = Path(sys.executable)

    with contender("tokengeist attention", python, path, threads=1, limit_gib=8) as ask:
        answers = [ask(), ask()]
    with contender("at2 uniform", python, path, threads=1, limit_gib=8) as ask:
        for _ in range(2):  # while it gives up, and when it is long gone
            with pytest.raises(ContenderError, match="No module named 'nltk'"):
                ask()

    for answered in answers:
        assert answered.scores == len(CONTENDERS["tokengeist attention"](question)())
        assert answered.seconds > 0
        assert answered.peak > 300  # the weights alone are more


def test_contenders_take_turns_and_the_median_counts() -> None:
    asked: list[str] = []

    def taking(name: str, seconds: list[float], peak: float) -> Ask:
        def answer() -> Answered:
            asked.append(name)
            return Answered(seconds[asked.count(name) - 1], peak, scores=7)

        return answer

    # The machine is slow in the second round and cold in the first.
    rival = taking("rival", [9.0, 6.0, 3.0], peak=1500.0)
    ours = taking("ours", [3.0, 4.0, 2.0], peak=1000.0)
    match = play(rival, ours)
    assert asked == ["ours", "rival"] * ROUNDS
    assert (match.time, match.memory) == (1.5, 1.5)
    said = row("at2 uniform", match, "tokengeist attention")
    assert "tokengeist attention: 3.0 s, 1000 MiB; 1.50x the time, 1.50x the memory" in said


def test_what_takes_minutes_is_asked_once() -> None:
    match = play(lambda: Answered(200.0, 1.0, 1), lambda: Answered(100.0, 1.0, 1))
    assert len(match.rounds) == 1


def test_everybody_has_a_match() -> None:
    assert {*RIVALS, *(rival for rivals in RIVALS.values() for rival in rivals)} == set(CONTENDERS)
