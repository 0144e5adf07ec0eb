"""The rules of the annotation protocol, checked on a whole folder.

Each rule is one function from a target to what is wrong with it. What a gold file must be to be
read at all (verbatim spans, backward edges, the root present, an entry per turn) is checked where
it is read, in `gold`; both kinds of problem come out here together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tokengeist.bench.dataset import Conversation, Dataset, read_bytes, read_gold
from tokengeist.bench.gold import BASE_TAGS, TAGS, GoldTarget, Problem
from tokengeist.errors import TokengeistError
from tokengeist.transcript import Role, Transcript

Complaint = tuple[str, int | None, str]
"""Which rule, at which turn, and what is wrong."""

USUAL_TARGETS = range(5, 9)
LONG_TARGET_WORDS = 25


def validate(dataset: Dataset) -> Iterator[Problem]:
    """Every problem of every file, in order of the files."""
    gold_ids = dataset.gold_ids
    for id in dataset.ids:
        if id in gold_ids:
            yield from _validate_files(dataset, id)
        else:
            path = dataset.conversation_path(id)
            yield Problem(str(path), "pair", f"there is no gold file {dataset.gold_path(id)}")
    for id in sorted(gold_ids - set(dataset.ids)):
        path = dataset.gold_path(id)
        yield Problem(str(path), "pair", f"there is no {dataset.conversation_path(id)}")
    for id in dataset.corrected_ids:
        yield from _validate_corrected(dataset, id)


def _validate_files(dataset: Dataset, id: str) -> Iterator[Problem]:
    path = dataset.gold_path(id)
    try:
        transcript = dataset.transcript(id)
        data = read_bytes(path)
    except TokengeistError as error:
        yield Problem(str(dataset.conversation_path(id)), "form", str(error))
        return
    targets, problems = read_gold(data, transcript, file=str(path))
    yield from problems
    yield from check(Conversation(transcript, targets), file=str(path))


def _validate_corrected(dataset: Dataset, id: str) -> Iterator[Problem]:
    file = dataset.corrections.origin
    try:
        conversation = dataset.conversation(id)
    except TokengeistError as error:
        yield Problem(file, "correction", str(error))
        return
    # Advice is about the conversation, and its own targets have had it.
    yield from (problem for problem in check(conversation, file=file) if not problem.is_advice)


def check(conversation: Conversation, *, file: str) -> Iterator[Problem]:
    """What the protocol's rules say about targets that could be read."""
    for target in conversation.targets:
        for rule in RULES:
            for name, turn, message in rule(target, conversation.transcript):
                yield Problem(file, name, message, target.name, turn)
        words = len(target.span.of(conversation.transcript.turns[target.turn].text).split())
        if words > LONG_TARGET_WORDS:
            message = f"the target text has {words} words; a phrase is better"
            yield Problem(file, "short target", message, target.name, target.turn, is_advice=True)
    if len(conversation.targets) not in USUAL_TARGETS:
        message = f"{len(conversation.targets)} targets; the protocol asks for 5 to 8"
        yield Problem(file, "number of targets", message, is_advice=True)


def _target_is_written_by_the_assistant(
    target: GoldTarget, transcript: Transcript
) -> Iterator[Complaint]:
    role = transcript.turns[target.turn].role
    if role is not Role.ASSISTANT:
        yield "target", target.turn, f"the target stands in a {role} turn, not an assistant turn"


def _every_turn_is_reached(target: GoldTarget, _: Transcript) -> Iterator[Complaint]:
    for turn in target.nodes:
        if turn not in target.distances:
            yield "reachable", turn, "this turn is not reached from the target"


def _leaves_are_exogenous(target: GoldTarget, transcript: Transcript) -> Iterator[Complaint]:
    for turn in sorted(target.leaves):
        if not transcript.turns[turn].is_exogenous:
            role = transcript.turns[turn].role
            yield (
                "leaf",
                turn,
                f"the chain ends at this {role} turn; go on to a user or system turn",
            )
    for turn, sources in target.sources.items():
        if sources and transcript.turns[turn].is_exogenous:
            role = transcript.turns[turn].role
            yield "leaf", turn, f"a {role} turn is a leaf and depends on nothing"


def _target_rests_on_something(target: GoldTarget, _: Transcript) -> Iterator[Complaint]:
    """Only an unsupported invention has no source (paper, section 5.1)."""
    if not target.sources[target.turn] and "hallucination" not in target.tags:
        yield "root", target.turn, "the target depends on nothing and is no hallucination"


def _results_rest_on_their_call(target: GoldTarget, transcript: Transcript) -> Iterator[Complaint]:
    for turn, sources in target.sources.items():
        if transcript.turns[turn].role is not Role.TOOL or not sources:
            continue
        site = transcript.call_sites.get(turn)
        if site is not None and sources != (site.turn,):
            listed = ", ".join(map(str, sources))
            yield "tool", turn, f"a tool result depends on its call {site.turn} only, not {listed}"


def _tags_fit_the_graph(target: GoldTarget, _: Transcript) -> Iterator[Complaint]:
    for tag in target.tags:
        if tag not in TAGS:
            yield "tags", None, f"'{tag}' is no tag; there are {', '.join(TAGS)}"
    base = [tag for tag in target.tags if tag in BASE_TAGS]
    if len(base) != 1:
        found = " and ".join(base) or "neither"
        yield "base tag", None, f"exactly one of direct and chained, not {found}"
    elif (base == ["direct"]) != (target.depth <= 1):
        yield "base tag", None, f"'{base[0]}' does not fit a graph of depth {target.depth}"
    if ("multi_source" in target.tags) != (len(target.leaves) >= 2):
        number = len(target.leaves)
        verb = "has" if "multi_source" in target.tags else "lacks"
        yield "multi_source", None, f"{verb} the tag with {number} leaves; it means two or more"
    if ("diamond" in target.tags) != target.is_diamond:
        state = "no source reaches" if "diamond" in target.tags else "a source reaches"
        yield "diamond", None, f"{state} the target by two ways with no turn in common"


RULES: tuple[Callable[[GoldTarget, Transcript], Iterator[Complaint]], ...] = (
    _target_is_written_by_the_assistant,
    _target_rests_on_something,
    _every_turn_is_reached,
    _leaves_are_exogenous,
    _results_rest_on_their_call,
    _tags_fit_the_graph,
)
