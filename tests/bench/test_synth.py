"""The synthetic worlds obey the annotation protocol, which is checked here from its text alone.

Nothing below uses the simulator's own notion of provenance: the checks read messages and gold as
any consumer of the data set would.
"""

from __future__ import annotations

import gc
import itertools
import json
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tokengeist.bench.dataset import Dataset
from tokengeist.bench.synth import DEFAULT_MIX, DOMAINS, SynthConversation, generate, write
from tokengeist.bench.validation import validate
from tokengeist.errors import UnknownNameError

KINDS = {"wrong_value_transformation", "stale_context", "unsupported_invention"}
WRITES = {d.renewal.tool for d in DOMAINS.values()} | {d.move.tool for d in DOMAINS.values()}
WRITES |= {d.settle.tool for d in DOMAINS.values()}


@pytest.fixture(scope="module")
def corpus() -> list[SynthConversation]:
    return list(generate(200, seed=1))


def canonical(message: dict[str, Any]) -> str:
    lines = [message["content"]] if message.get("content") else []
    functions = [call["function"] for call in message.get("tool_calls", ())]
    lines += [f"{function['name']}({function['arguments']})" for function in functions]
    return "\n".join(lines)


def targets(corpus: list[SynthConversation]) -> Iterator[tuple[SynthConversation, dict[str, Any]]]:
    for conversation in corpus:
        for target in conversation.gold["targets"]:
            yield conversation, target


def edges(target: dict[str, Any]) -> dict[int, list[int]]:
    return {int(k): v["depends_on"] for k, v in target["ground_truth_deps"].items()}


def paths(graph: dict[int, list[int]], start: int, leaf: int) -> list[frozenset[int]]:
    """The turns between `start` and `leaf` on every path that has any."""
    found: list[frozenset[int]] = []

    def walk(turn: int, between: frozenset[int]) -> None:
        for source in graph[turn]:
            if source != leaf:
                walk(source, between | {source})
            elif between:
                found.append(between)

    walk(start, frozenset())
    return found


def depth(graph: dict[int, list[int]], turn: int) -> int:
    return max((1 + depth(graph, source) for source in graph[turn]), default=0)


def tags(target: dict[str, Any]) -> set[str]:
    """The tags that the protocol's words demand."""
    graph, root = edges(target), target["target_turn_idx"]
    leaves = [turn for turn, sources in graph.items() if not sources]
    found = {"direct" if depth(graph, root) == 1 else "chained"}
    if len(leaves) > 1:
        found.add("multi_source")
    for leaf in leaves:
        pairs = itertools.combinations(set(paths(graph, root, leaf)), 2)
        if any(not one & other for one, other in pairs):
            found.add("diamond")
    return found


def test_the_same_seed_gives_the_same_conversations() -> None:
    first = list(generate(5, seed=3))
    assert first == list(generate(5, seed=3))
    assert first[2:] == list(generate(3, seed=3, start=2))
    assert first != list(generate(5, seed=4))


def test_messages_are_a_well_formed_chat(corpus: list[SynthConversation]) -> None:
    for conversation in corpus:
        waiting: list[str] = []
        for index, message in enumerate(conversation.messages):
            role = message["role"]
            assert (index == 0) == (role == "system")
            if role == "tool":
                assert message["tool_call_id"] == waiting.pop(0)
                json.loads(message["content"])
                continue
            assert not waiting, "a call without a result"
            for call in message.get("tool_calls", ()):
                json.loads(call["function"]["arguments"])
                waiting.append(call["id"])
            assert message["content"] or waiting
            prose = message["content"] or ""
            assert prose == prose.strip()
            assert "  " not in prose
            assert not set("[]{}<>^") & set(prose), "a template that was not filled in"
        assert 1000 <= len(conversation.messages[0]["content"]) <= 4000


def test_every_span_is_verbatim(corpus: list[SynthConversation]) -> None:
    for conversation, target in targets(corpus):
        texts = [canonical(message) for message in conversation.messages]
        assert texts[target["target_turn_idx"]].count(target["target_text"]) == 1
        for node in target["ground_truth_deps"].values():
            assert sorted(node["depends_on"]) == sorted(int(k) for k in node["spans"])
            for source, span in node["spans"].items():
                assert span
                assert span == span.strip()
                assert span in texts[int(source)]
                assert len(span) < 400, "an annotator would quote less"


def test_graphs_obey_the_protocol(corpus: list[SynthConversation]) -> None:
    for conversation, target in targets(corpus):
        graph, root = edges(target), target["target_turn_idx"]
        messages = conversation.messages
        assert messages[root]["role"] == "assistant"
        assert graph[root], "a target rests on something"
        reached, frontier = {root}, [root]
        while frontier:
            for source in graph[frontier.pop()]:
                if source not in reached:
                    reached.add(source)
                    frontier.append(source)
        assert reached == set(graph)
        for turn, sources in graph.items():
            assert all(source < turn for source in sources)
            role = messages[turn]["role"]
            assert (role in ("system", "user")) == (not sources)
            if role == "tool":
                call = messages[turn]["tool_call_id"]
                callers = [
                    i
                    for i, m in enumerate(messages)
                    if any(c["id"] == call for c in m.get("tool_calls", ()))
                ]
                assert sources == callers


def test_tags_are_those_of_the_graph(corpus: list[SynthConversation]) -> None:
    for _, target in targets(corpus):
        stated = set(target["dep_type_tags"])
        assert len(stated) == len(target["dep_type_tags"])
        assert stated - {"hallucination"} == tags(target)
        assert ("hallucination" in stated) == ("hallucination_kind" in target)
        if "hallucination_kind" in target:
            assert target["hallucination_kind"] in KINDS
            stale = target["hallucination_kind"] == "stale_context"
            assert stale == ("corrective_turns" in target)
            assert set(target.get("corrective_turns", ())) < set(edges(target))


def test_a_write_rests_on_the_users_yes(corpus: list[SynthConversation]) -> None:
    """The last user turn before a write authorises it, and its call says so wherever it occurs."""
    seen = 0
    for conversation, target in targets(corpus):
        for turn, sources in edges(target).items():
            calls = conversation.messages[turn].get("tool_calls", ())
            if any(call["function"]["name"] in WRITES for call in calls):
                before = [i for i in range(turn) if conversation.messages[i]["role"] == "user"]
                assert before[-1] in sources
                seen += 1
    assert seen > 50


def test_every_argument_of_a_call_can_be_read_in_its_sources(
    corpus: list[SynthConversation],
) -> None:
    """Identifiers are never conjured up: an inner look-up's number stands in a source's span."""
    for conversation, target in targets(corpus):
        for key, node in target["ground_truth_deps"].items():
            message = conversation.messages[int(key)]
            calls = message.get("tool_calls", ())
            if len(calls) != 1 or int(key) == target["target_turn_idx"]:
                continue
            if not calls[0]["function"]["name"].startswith("get_"):
                continue
            for value in json.loads(calls[0]["function"]["arguments"]).values():
                assert any(str(value) in span for span in node["spans"].values())


def test_inventions_rest_on_what_triggered_them(corpus: list[SynthConversation]) -> None:
    found = [
        (conversation, target)
        for conversation, target in targets(corpus)
        if target.get("hallucination_kind") == "unsupported_invention"
    ]
    assert found
    for conversation, target in found:
        (trigger,) = edges(target)[target["target_turn_idx"]]
        assert trigger == target["target_turn_idx"] - 1
        assert conversation.messages[trigger]["role"] == "user"


def test_stale_values_differ_from_the_truth_they_ignored() -> None:
    """What was ignored said something else than what was followed, in every stale target."""
    faulty = list(generate(60, seed=8, mix={"hallucination": 1.0}))
    seen = 0
    for _, target in targets(faulty):
        for turn in target.get("corrective_turns", ()):
            spans = target["ground_truth_deps"][str(target["target_turn_idx"])]["spans"]
            others = [span for source, span in spans.items() if source != str(turn)]
            assert spans[str(turn)] not in others
            seen += 1
    assert seen > 20


def test_two_hundred_conversations_reach_everything(corpus: list[SynthConversation]) -> None:
    seen = Counter(tag for _, target in targets(corpus) for tag in target["dep_type_tags"])
    assert set(seen) == set(DEFAULT_MIX)
    depths = {depth(edges(t), t["target_turn_idx"]) for _, t in targets(corpus)}
    assert depths == set(range(1, 15))
    kinds = {t["hallucination_kind"] for _, t in targets(corpus) if "hallucination_kind" in t}
    assert kinds == KINDS
    assert {c.id.split("-")[1] for c in corpus} == set(DOMAINS)
    assert any(len(m.get("tool_calls", ())) > 1 for c in corpus for m in c.messages)
    assert all(5 <= len(c.gold["targets"]) <= 8 for c in corpus)
    in_call = [
        t for c, t in targets(corpus) if t["target_text"] not in _prose(c, t["target_turn_idx"])
    ]
    assert 0.1 < len(in_call) / sum(seen[tag] for tag in ("direct", "chained")) < 0.7


def _prose(conversation: SynthConversation, turn: int) -> str:
    return str(conversation.messages[turn]["content"] or "")


def test_proportions_are_kept(corpus: list[SynthConversation]) -> None:
    """A target counts as its most specific type; shares are within a few points of the mix."""
    order = list(DEFAULT_MIX)
    shares = Counter(max(t["dep_type_tags"], key=order.index) for _, t in targets(corpus))
    for name, share in DEFAULT_MIX.items():
        assert shares[name] / shares.total() == pytest.approx(share, abs=0.05)


def test_wordings_vary(corpus: list[SynthConversation]) -> None:
    """No sentence skeleton dominates: with figures removed, user turns are mostly distinct."""
    skeletons = Counter(
        "".join(sign for sign in m["content"] if not sign.isdigit())
        for c in corpus
        for m in c.messages
        if m["role"] == "user"
    )
    assert len(skeletons) / skeletons.total() > 0.6


def test_options() -> None:
    shallow = list(generate(10, seed=2, max_depth=4, domains=["freight", "clinic"]))
    assert {c.id.split("-")[1] for c in shallow} == {"freight", "clinic"}
    assert max(depth(edges(t), t["target_turn_idx"]) for _, t in targets(shallow)) <= 4
    faulty = list(generate(10, seed=2, mix={"hallucination": 1.0}))
    wrong = ["hallucination" in t["dep_type_tags"] for _, t in targets(faulty)]
    assert sum(wrong) / len(wrong) > 0.9
    (long,) = generate(1, seed=2, turns=(300, 320))
    assert 300 <= len(long.messages) <= 360
    assert list(generate(0, seed=2)) == []


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'library'"):
        generate(1, seed=1, domains=["libary"])
    with pytest.raises(UnknownNameError, match="no dependency type named 'diamnd'"):
        generate(1, seed=1, mix={"diamnd": 1.0})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_depth": 15}, "max_depth is between 1 and 14, not 15"),
        ({"domains": []}, "at least one domain"),
        ({"mix": {"direct": 0.0}}, "not all zero"),
        ({"turns": (40, 20)}, "turns is a range"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        generate(1, seed=1, **options)


@pytest.mark.parametrize("name", DEFAULT_MIX)
def test_one_kind_of_target_can_be_had_alone(name: str) -> None:
    order = list(DEFAULT_MIX)
    found = [
        max(target["dep_type_tags"], key=order.index)
        for _, target in targets(list(generate(20, seed=4, mix={name: 1.0})))
    ]
    assert found.count(name) / len(found) > 0.8


def test_write_lays_out_the_benchmark(tmp_path: Path) -> None:
    conversations = list(generate(3, seed=9))
    assert write(tmp_path, iter(conversations)) == 3
    names = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*"))
    folders = ("conversations", "gold")
    assert names == sorted(f"{f}/{c.id}.json" for f in folders for c in conversations)
    first = conversations[0]
    stored = json.loads((tmp_path / "conversations" / f"{first.id}.json").read_text("utf-8"))
    assert stored == {"id": first.id, "source": first.source, "messages": first.messages}
    assert json.loads((tmp_path / "gold" / f"{first.id}.json").read_text("utf-8")) == first.gold


def test_the_benchmarks_own_validator_agrees(
    corpus: list[SynthConversation], tmp_path: Path
) -> None:
    write(tmp_path, corpus)
    assert [str(problem) for problem in validate(Dataset(tmp_path))] == []


def test_generation_streams_with_flat_memory() -> None:
    def memory_after(count: int) -> int:
        for _ in itertools.islice(stream, count):
            pass
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    stream = generate(150, seed=5)
    tracemalloc.start()
    try:
        early = memory_after(30)
        late = memory_after(120)
    finally:
        tracemalloc.stop()
    assert late - early < 100_000, "conversations are kept"
