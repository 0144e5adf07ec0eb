"""Other projects' files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tokengeist.bench.dataset import Dataset
from tokengeist.bench.importing import Imported, write_conversations
from tokengeist.bench.importing.confetti import import_confetti, parse_calls
from tokengeist.bench.importing.tau_bench import import_tau_bench
from tokengeist.errors import DatasetError
from tokengeist.formats import load_all

USER = {"role": "user", "content": "Hi"}


def test_every_real_tau_bench_run_is_imported_as_it_is(shared_data: Path, tmp_path: Path) -> None:
    source = shared_data / "tau" / "gpt-4o-airline.json"
    assert write_conversations(import_tau_bench(source), tmp_path) == 200
    dataset = Dataset(tmp_path)
    turns = [transcript.turns for transcript in load_all(source)]
    assert sorted(map(len, turns)) == sorted(
        len(dataset.transcript(id).turns) for id in dataset.ids
    )
    assert dataset.transcript("gpt-4o-airline-005-0").turns in turns


def test_an_imported_run_is_the_annotated_one(shared_data: Path, tmp_path: Path) -> None:
    source = shared_data / "tau" / "gpt-4o-airline.json"
    write_conversations(import_tau_bench(source, prefix="tau-airline"), tmp_path)
    annotated = Dataset(shared_data / "mtca-dev").transcript("tau-airline-005-0")
    assert Dataset(tmp_path).transcript("tau-airline-005-0").turns == annotated.turns


def test_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text('[{"messages": []}]')
    with pytest.raises(DatasetError, match="run 0 has no list 'traj'"):
        list(import_tau_bench(file))
    file.write_text(json.dumps({"messages": []}, indent=2))
    with pytest.raises(DatasetError, match="run 0 has no list 'traj'"):
        list(import_tau_bench(file))


def test_a_refused_file_leaves_nothing_behind(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text(json.dumps([{"traj": [USER]}, {"messages": []}]))
    with pytest.raises(DatasetError, match="run 1 has no list 'traj'"):
        write_conversations(import_tau_bench(file), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def confetti(path: Path) -> Path:
    """Two lines of one dialogue, the second longer, and another dialogue."""
    first = [
        {"role": "user", "content": "Book me a room in Rome from May 4th to the 6th of May."},
        {"role": "assistant", "content": "[Hotel_book(city='Rome', start='2025-05-04', nights=2)]"},
        {"role": "tool", "content": '{"status": "booked"}'},
        {"role": "assistant", "content": "Booked."},
    ]
    second = [*first, {"role": "user", "content": "And what about March 3, 2025?"}]
    other = [[{"role": "user", "content": "Hi"}], [{"role": "assistant", "content": "Hello"}]]
    lines: list[dict[str, Any]] = [
        {"id": "conversationsclean_0", "dialog_id": "aaa_0", "question": first, "function": []},
        {"id": "conversationsclean_1", "dialog_id": "aaa_1", "question": second, "function": []},
        {"id": "conversationsclean_2", "dialog_id": "bbb_0", "question": other, "function": []},
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_confetti_dialogues_come_once_and_whole(tmp_path: Path) -> None:
    source = confetti(tmp_path / "data.json")
    assert write_conversations(import_confetti(source), tmp_path / "out") == 2
    dataset = Dataset(tmp_path / "out")
    assert dataset.ids == ("confetti-aaa", "confetti-bbb")
    turns = dataset.transcript("confetti-aaa").turns
    assert len(turns) == 5
    assert turns[1].text == 'Hotel_book({"city": "Rome", "start": "2025-05-04", "nights": 2})'
    assert dataset.transcript("confetti-aaa").call_sites[2].turn == 1


def imported(tmp_path: Path, *records: dict[str, Any]) -> Dataset:
    file = tmp_path / "data.json"
    file.write_text("\n".join(map(json.dumps, records)))
    write_conversations(import_confetti(file), tmp_path / "out")
    return Dataset(tmp_path / "out")


def test_lines_without_a_dialogue_are_dialogues_of_their_own(tmp_path: Path) -> None:
    lines = [{"id": f"multi_turn_base_{n}", "question": [[USER], [USER]]} for n in range(3)]
    assert imported(tmp_path, *lines).ids == tuple(
        f"confetti-multi_turn_base_{n}" for n in (0, 1, 2)
    )


@pytest.mark.parametrize(
    "content",
    ["[f(x=1)]", '[{"f": {"x": 1}}]', [{"f": {"x": 1}}], "Let me look.\n[f(x=1)]"],
)
def test_calls_come_in_several_shapes(tmp_path: Path, content: object) -> None:
    messages = [USER, {"role": "assistant", "content": content}, {"role": "tool", "content": "7"}]
    (id,) = (data := imported(tmp_path, {"dialog_id": "u_0", "question": messages})).ids
    transcript = data.transcript(id)
    assert [call.text for call in transcript.turns[1].calls] == ['f({"x": 1})']
    assert transcript.turns[1].content == ("Let me look." if str(content)[0] == "L" else "")
    assert transcript.call_sites[2].turn == 1


def test_a_result_answers_the_calls_just_before_it(tmp_path: Path) -> None:
    messages = [
        USER,
        {"role": "assistant", "content": "[f(x=1), g()]"},
        {"role": "tool", "content": "[1, 2]"},  # one message for both
        {"role": "assistant", "content": "[h()]"},
        {"role": "tool", "content": "3"},
    ]
    data = imported(tmp_path, {"dialog_id": "u_0", "question": messages})
    sites = data.transcript(data.ids[0]).call_sites
    assert (sites[2].turn, sites[4].turn) == (1, 3)


def test_a_file_of_answers_is_refused(tmp_path: Path) -> None:
    answer = {"id": "conversationsclean_0", "dialog_id": "u_0", "ground_truth": [{"f": {}}]}
    with pytest.raises(DatasetError, match="has no 'question'"):
        imported(tmp_path, answer)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("[f(a=1), g.h(b=['x'])]", [("f", '{"a": 1}'), ("g.h", '{"b": ["x"]}')]),
        ('[{"f": {"a": 1}}]', [("f", '{"a": 1}')]),
        ("f()", [("f", "{}")]),
        ("I will call f(a=1).", None),
        ("[f(open('x'))]", None),
        ("[f(a=open('x'))]", None),
        ("[1, 2]", None),
        ("Hello", None),
        ("", None),
    ],
)
def test_calls_are_told_from_talk(text: str, calls: list[tuple[str, str]] | None) -> None:
    found = parse_calls(text)
    functions = None if found is None else [call["function"] for call in found]
    assert (functions and [(f["name"], f["arguments"]) for f in functions]) == calls


@pytest.mark.parametrize("id", ["", "../escape", "a/b", ".hidden"])
def test_an_id_cannot_lead_out_of_the_folder(tmp_path: Path, id: str) -> None:
    with pytest.raises(DatasetError, match="cannot be the name of a file"):
        write_conversations([Imported(id, "", [])], tmp_path / "out")
