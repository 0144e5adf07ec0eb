"""A second scorer, written from the paper's text alone (section 6.2, appendix A.1).

It shares no code with the package and reads the files themselves. Its only purpose is to disagree.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any


def harmonic(hits: int, said: int, true: int) -> float:
    if said == 0 and true == 0:
        return 1.0
    if hits == 0:
        return 0.0
    precision, recall = hits / said, hits / true
    return 2 * precision * recall / (precision + recall)


def canonical(message: dict[str, Any]) -> str:
    lines = [message["content"]] if message.get("content") else []
    calls = [call["function"] for call in message.get("tool_calls") or []]
    return "\n".join(lines + [call["name"] + "(" + call["arguments"] + ")" for call in calls])


def score_target(line: dict[str, Any], gold: dict[str, Any], texts: list[str]) -> list[float]:
    root = gold["target_turn_idx"]
    graph = {int(turn): node for turn, node in gold["ground_truth_deps"].items()}

    true_edges = [(turn, source) for turn, node in graph.items() for source in node["depends_on"]]
    said_edges = [(edge[0], edge[1]) for edge in line["edges"]]
    edge = harmonic(
        len([e for e in said_edges if e in true_edges]), len(said_edges), len(true_edges)
    )

    true_nodes = [turn for turn in graph if turn != root]
    said_nodes = [node["turn"] for node in line["nodes"] if node["turn"] != root]
    node = harmonic(
        len([n for n in said_nodes if n in true_nodes]), len(said_nodes), len(true_nodes)
    )

    leaves = [turn for turn, entry in graph.items() if not entry["depends_on"] and turn != root]
    recall = len([leaf for leaf in leaves if leaf in said_nodes]) / len(leaves)

    annotated: dict[int, set[int]] = {}  # the characters of a turn that some quotation covers
    for entry in graph.values():
        for source, text in entry["spans"].items():
            start = texts[int(source)].index(text)
            annotated.setdefault(int(source), set()).update(range(start, start + len(text)))
    per_turn = []
    for turn, covered in annotated.items():
        kept = (c if i in covered else " " for i, c in enumerate(texts[turn]))
        true_words = Counter("".join(kept).split())
        said_words: Counter[str] = Counter()
        for found in line["nodes"]:
            if found["turn"] == turn:
                for start, end in found["spans"]:
                    said_words.update(texts[turn][start:end].split())
        hits = sum(min(count, true_words[word]) for word, count in said_words.items())
        per_turn.append(harmonic(hits, sum(said_words.values()), sum(true_words.values())))
    return [edge, node, recall, sum(per_turn) / len(per_turn)]


def score_run(data: Path, run: Path) -> list[float]:
    """Edge F1, node F1, source recall and span F1: means over targets."""
    rows = []
    for text in (run / "predictions.jsonl").read_text().splitlines():
        line = json.loads(text)
        id = line["conversation_id"]
        gold = json.loads((data / "gold" / f"{id}.json").read_text())
        messages = json.loads((data / "conversations" / f"{id}.json").read_text())["messages"]
        (target,) = [t for t in gold["targets"] if t["name"] == line["target"]]
        rows.append(score_target(line, target, [canonical(message) for message in messages]))
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]
