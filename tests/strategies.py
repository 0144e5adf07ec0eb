"""Hypothesis generators: transcripts of any shape that a reader could produce."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from tokengeist.transcript import Role, ToolCall, Transcript, Turn

# Letters of several scripts, digits, white space, markup, JSON and control characters: whatever
# trips a splitter, a template or a terminal.
texts = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from(list("abc 0129.,:;!?\n\t\"'{}[]<>|#*-_/\\\x1b。？ü😀")),
    ),
    max_size=60,
)
json_texts = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=12)),
    lambda children: st.one_of(
        st.lists(children, max_size=4), st.dictionaries(st.text(max_size=8), children, max_size=4)
    ),
    max_leaves=12,
).map(json.dumps)
names = st.sampled_from(["look_up", "book", "think"])


@st.composite
def transcripts(draw: st.DrawFn, *, min_turns: int = 1, max_turns: int = 12) -> Transcript:
    """A transcript whose tool results all answer a call, by id or by position."""
    count = draw(st.integers(min_turns, max_turns))
    turns: list[Turn] = []
    open_calls: list[str] = []
    for index in range(count):
        roles = [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.ASSISTANT]
        if open_calls:
            roles += [Role.TOOL, Role.TOOL]
        role = draw(st.sampled_from(roles))
        content = draw(st.one_of(texts, json_texts))
        if role is Role.TOOL:
            call_id = open_calls.pop(draw(st.integers(0, len(open_calls) - 1)))
            turns.append(Turn(index, role, content, call_id=call_id))
            continue
        calls: list[ToolCall] = []
        if role is Role.ASSISTANT:
            for number in range(draw(st.integers(0, 2))):
                call = ToolCall(
                    draw(names), draw(st.one_of(json_texts, texts)), f"call_{index}_{number}"
                )
                calls.append(call)
                open_calls.append(f"call_{index}_{number}")
        turns.append(Turn(index, role, content, tuple(calls)))
    return Transcript(tuple(turns))


@st.composite
def traceable_transcripts(draw: st.DrawFn) -> Transcript:
    """A transcript whose last turn is an assistant turn with text."""
    transcript = draw(transcripts(max_turns=10))
    last = Turn(len(transcript.turns), Role.ASSISTANT, draw(texts) + "end")
    return Transcript((*transcript.turns, last))


def score_tables(transcript: Transcript) -> st.SearchStrategy[dict[int, dict[int, float]]]:
    """Any scores at all between the turns of a transcript, zeros and ties included."""
    scores = st.one_of(
        st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1e6, allow_nan=False, allow_infinity=False)
    )
    indices = range(len(transcript.turns))
    return st.fixed_dictionaries(
        {late: st.fixed_dictionaries(dict.fromkeys(range(late), scores)) for late in indices}
    )
