"""Phase 2: the provenance graph of one chosen span."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tokengeist.bench.annotation.answers import AnswerError, parse_answer
from tokengeist.bench.annotation.listing import listing, mark
from tokengeist.bench.annotation.prompts import Prompts, fill
from tokengeist.bench.annotation.targets import Choice
from tokengeist.bench.dataset import Conversation, read_gold
from tokengeist.bench.gold import GoldTarget, Problem
from tokengeist.bench.validation import check
from tokengeist.transcript import Transcript

_LONGEST_HINT = 200
_SEARCHED = 100_000


@dataclass(frozen=True, slots=True)
class Graph:
    """What an answer to the second prompt comes to: a valid target, or complaints."""

    target: GoldTarget | None = None
    complaints: tuple[str, ...] = ()

    @property
    def is_usable(self) -> bool:
        """A graph obeys the protocol or it does not; there is no middle."""
        return self.target is not None


def graph_prompt(choice: Choice, transcript: Transcript, prompts: Prompts) -> str:
    """The second prompt for one span.

    The bundled one puts the span last, so that all spans of a conversation share a prefix that
    servers can cache.
    """
    values = {
        "conversation": listing(transcript),
        "mark": mark(transcript),
        "target": json.dumps(choice.to_json(), ensure_ascii=False),
    }
    return fill(prompts.graph, values)


def read_graph(answer: str, choice: Choice, transcript: Transcript) -> Graph:
    """Put an answer through everything that `bench validate` checks."""
    try:
        raw = parse_answer(answer, "nodes", "ground_truth_deps", "targets")
        entry = _gold_entry(raw, choice)
    except AnswerError as fault:
        return Graph(complaints=(str(fault),))
    file = json.dumps({"conversation_id": transcript.id, "targets": [entry]})
    targets, problems = read_gold(file.encode(), transcript, file=transcript.id)
    problems += check(Conversation(transcript, targets), file=transcript.id)
    # Advice concerns the choice of the span, which is no longer open.
    complaints = [problem for problem in problems if not problem.is_advice]
    if complaints or not targets:
        return Graph(complaints=tuple(_complaint(p, entry, transcript) for p in complaints))
    return Graph(targets[0])


def _gold_entry(raw: dict[str, Any], choice: Choice) -> dict[str, Any]:
    """An answer as a gold file's target.

    The form that our prompt asks for is a list of nodes. The paper's own form is taken as well, for
    users who bring its prompts, even inside a list of targets.
    """
    if isinstance(raw.get("targets"), list):
        named = [t for t in raw["targets"] if isinstance(t, dict) and t.get("name") == choice.name]
        others = [t for t in raw["targets"] if isinstance(t, dict)]
        raw = (named or others or [raw])[0]
    nodes = raw["nodes"] if "nodes" in raw else raw.get("ground_truth_deps")
    deps = dict(_listed(nodes)) if "nodes" in raw else dict(_keyed(nodes))
    tags = raw.get("dep_type_tags")
    entry = choice.to_json() | {
        "comment": raw["comment"] if isinstance(raw.get("comment"), str) else "",
        "dep_type_tags": tags if isinstance(tags, list) else None,
        "ground_truth_deps": deps,
    }
    corrective = raw.get("corrective_turns") or []
    if not isinstance(corrective, list) or not all(isinstance(turn, int) for turn in corrective):
        raise AnswerError("'corrective_turns' is a list of turn numbers")
    return entry | ({"corrective_turns": corrective} if corrective else {})


def _listed(nodes: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if not isinstance(nodes, list):
        raise AnswerError("'nodes' is not a list")
    seen = set()
    for node in nodes:
        match node:
            case {"turn": int(turn), "depends_on": list(listed)}:
                pass
            case _:
                raise AnswerError("a node is an object with 'turn' and a list 'depends_on'")
        if turn in seen:
            raise AnswerError(f"turn {turn} has two nodes; put it into the graph once")
        seen.add(turn)
        for source in listed:
            if not isinstance(source, dict) or not isinstance(source.get("turn"), int):
                raise AnswerError(f"turn {turn}: a dependency is an object with 'turn' and 'span'")
        yield (
            str(turn),
            {
                "depends_on": [source["turn"] for source in listed],
                "spans": {str(source["turn"]): source.get("span") for source in listed},
            },
        )


def _keyed(nodes: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if not isinstance(nodes, dict):
        raise AnswerError("'ground_truth_deps' is an object from turns to dependencies")
    for turn, node in nodes.items():
        match node:
            case {"depends_on": list(listed), "spans": dict(spans)}:
                yield turn, {"depends_on": listed, "spans": spans}
            case {"depends_on": []}:
                yield turn, {"depends_on": [], "spans": {}}
            case _:
                raise AnswerError(
                    f"turn {turn[:9]}: there is a list 'depends_on' and an object 'spans'"
                )


def _complaint(problem: Problem, entry: dict[str, Any], transcript: Transcript) -> str:
    """A problem in the words of `bench validate`, with the text that was probably meant."""
    place = f"turn {problem.turn}: " if problem.turn is not None else ""
    return f"{place}{problem.message}{_hint(problem, entry, transcript)}"


def _hint(problem: Problem, entry: dict[str, Any], transcript: Transcript) -> str:
    if problem.rule != "span" or "not verbatim" not in problem.message or problem.turn is None:
        return ""
    spans = entry["ground_truth_deps"][str(problem.turn)]["spans"]
    for source, quote in spans.items():
        text = transcript.turns[int(source)].text
        if f"turn {source} " in problem.message and quote not in text:
            nearest = _nearest(quote, text)
            return f"; the nearest text there is {nearest!r}" if nearest else ""
    return ""


def _nearest(quote: str, text: str) -> str:
    """The passage of `text` around what it shares with `quote`, about as long as the quote."""
    # A hint may not take seconds: of a very long turn, only the beginning is searched.
    matcher = difflib.SequenceMatcher(a=text[:_SEARCHED], b=quote[:_LONGEST_HINT], autojunk=False)
    match = matcher.find_longest_match()
    if not match.size:
        return ""
    start = max(0, match.a - match.b)
    return text[start : start + min(len(quote), _LONGEST_HINT)]
