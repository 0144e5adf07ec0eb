"""A small benchmark of our own invention, and backends that misbehave, for the tests here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def messages(order: str, shelf: str) -> list[dict[str, Any]]:
    """A user gives an order, the agent looks it up, then looks up its shelf and answers."""

    def call(id: str, name: str, **arguments: str) -> dict[str, Any]:
        function = {"name": name, "arguments": json.dumps(arguments)}
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": id, "type": "function", "function": function}],
        }

    return [
        {"role": "system", "content": "You keep a warehouse. Crates over 40 kg need two people."},
        {"role": "user", "content": f"Where is order {order} kept, and may I carry it alone?"},
        call("c1", "find_order", order=order),
        {"role": "tool", "tool_call_id": "c1", "content": f'{{"shelf": "{shelf}", "kg": 55}}'},
        call("c2", "find_shelf", shelf=shelf),
        {"role": "tool", "tool_call_id": "c2", "content": '{"hall": "north", "level": 3}'},
        {"role": "assistant", "content": f"It is on shelf {shelf} in the north hall, and at 55 kg "
         "it needs two people."},
    ]  # fmt: skip


def targets(order: str, shelf: str) -> list[dict[str, Any]]:
    """Gold graphs for `messages`: one chain, one with two sources, one direct."""
    lookup = {
        "3": {"depends_on": [2], "spans": {"2": f'"order": "{order}"'}},
        "2": {"depends_on": [1], "spans": {"1": f"order {order}"}},
        "1": {"depends_on": [], "spans": {}},
    }
    return [
        {
            "name": "hall",
            "target_turn_idx": 6,
            "target_text": "north hall",
            "comment": f"The hall (5) of the shelf (3) of order {order} (1).",
            "dep_type_tags": ["chained"],
            "ground_truth_deps": {
                "6": {"depends_on": [5], "spans": {"5": '"hall": "north"'}},
                "5": {"depends_on": [4], "spans": {"4": f'"shelf": "{shelf}"'}},
                "4": {"depends_on": [3], "spans": {"3": f'"shelf": "{shelf}"'}},
                **lookup,
            },
        },
        {
            "name": "two_people",
            "target_turn_idx": 6,
            "target_text": "needs two people",
            "comment": "The rule (0) on the weight (3).",
            "dep_type_tags": ["chained", "multi_source"],
            "ground_truth_deps": {
                "6": {
                    "depends_on": [3, 0],
                    "spans": {"3": '"kg": 55', "0": "Crates over 40 kg need two people"},
                },
                "0": {"depends_on": [], "spans": {}},
                **lookup,
            },
        },
        {
            "name": "order_argument",
            "target_turn_idx": 2,
            "target_text": order,
            "comment": "As the user said.",
            "dep_type_tags": ["direct"],
            "ground_truth_deps": {
                "2": {"depends_on": [1], "spans": {"1": order}},
                "1": {"depends_on": [], "spans": {}},
            },
        },
    ]


def make_dataset(folder: Path, ids: list[str]) -> Path:
    """A benchmark folder with one such conversation per id."""
    for part in ("conversations", "gold"):
        (folder / part).mkdir(parents=True)
    for number, id in enumerate(ids):
        order, shelf = f"K-{700 + number}", f"B{number}"
        conversation = {"id": id, "messages": messages(order, shelf)}
        gold = {"conversation_id": id, "targets": targets(order, shelf)}
        (folder / "conversations" / f"{id}.json").write_text(json.dumps(conversation))
        (folder / "gold" / f"{id}.json").write_text(json.dumps(gold))
    return folder


def install_backend(folder: Path) -> None:
    """Put a backend called `test` on the path, the way an outside package would.

    It reads like `lexical` after a nap of `TEST_NAP` seconds, notes its process id in the file
    `TEST_PIDS`, fails on conversations whose id starts with `bad` and takes its process down on
    those that start with `poison`.
    """
    metadata = folder / "tgtest-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: tgtest\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[tokengeist.attributors]\ntest = tgtest:create\n")
    (folder / "tgtest.py").write_text(_BACKEND)


_BACKEND = """
import os
import time

from tokengeist.attribution.lexical import LexicalAttributor


class TestAttributor(LexicalAttributor):
    def read(self, transcript, sources):
        with open(os.environ["TEST_PIDS"], "a") as file:
            file.write(f"{os.getpid()} {transcript.id}\\n")
        time.sleep(float(os.environ.get("TEST_NAP", "0")))
        if transcript.id.startswith("bad"):
            raise ZeroDivisionError("this conversation is bad")
        if transcript.id.startswith("poison"):
            os._exit(3)
        return super().read(transcript, sources)


def create(options):
    return TestAttributor()
"""
