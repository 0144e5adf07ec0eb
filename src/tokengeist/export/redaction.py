"""Taking secrets out of what leaves the machine, consistently and without moving the evidence.

The same value becomes the same placeholder everywhere (`[email-1]`), so a chain that carries an
address from turn to turn can still be followed. Every span is moved along with the text: one that
began or ended inside a replaced value covers all of its placeholder.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tokengeist.attribution.protocol import AttributorSpec, Link, Unit
from tokengeist.errors import TokengeistError
from tokengeist.graph import Edge, Node, ProvenanceGraph
from tokengeist.tracer import Step
from tokengeist.transcript import Span, Target, ToolCall, Transcript, Turn, merge_spans

# These patterns meet megabytes without a blank: none may look at the same run again and again.
_EMAIL = re.compile(r"(?<![\w.+%-])[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")
_AFTER_ESCAPE = r"(?<=\\[nrt])"  # arguments are JSON, where the n of a line break is no word
# 13 to 19 digits, in groups or not; a check digit decides.
_CARD = re.compile(rf"(?:(?<![\w.-])|{_AFTER_ESCAPE})\d(?:[ -]?\d){{12,18}}(?![\w-])")
_KEY = re.compile(
    rf"""-----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY-----.{{0,8000}}?-----END[ ][A-Z ]*PRIVATE[ ]KEY-----
    |(?:\b|{_AFTER_ESCAPE})(?:
        (?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs]|hf|AKIA|ASIA|AIza)[-_A-Za-z0-9]{{16,}}
        |eyJ[\w-]{{8,500}}+\.[\w-]{{8,}}\.[\w-]+             # a JSON web token
    )
    |(?<=Bearer[ ])[\w.~+/=-]{{16,}}
    |(?<=api_key=)[\w-]{{8,}}""",
    re.VERBOSE | re.DOTALL,
)
# A quoted value in JSON, in JSON inside a string of JSON (\"), or in Python. It ends at a quote
# escaped as deeply as the one it began with; more backslashes make a quote part of the value.
_SECRET_FIELD = re.compile(
    r"""(?i:password|api[_-]?key)(?:\\*["'])?\s*[:=]\s*
    (?P<escape>\\*)(?P<quote>["'])
    (?P<value>.*?)
    (?:(?<!\\)(?:(?P=escape){2}\\\\)*(?P=escape)(?P=quote)|\Z)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Redaction:
    """What to take out: e-mail addresses, card numbers, keys, and whatever patterns say."""

    patterns: tuple[str, ...] = ()
    """Further regular expressions."""
    _compiled: tuple[re.Pattern[str], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        compiled = []
        for pattern in self.patterns:
            try:
                compiled.append(re.compile(pattern))
            except re.error as error:
                raise TokengeistError(
                    f"the pattern {pattern!r} is no regular expression: {error}"
                ) from error
        object.__setattr__(self, "_compiled", tuple(compiled))

    def apply(self, transcript: Transcript) -> Redacted:
        """The transcript without the values, and how its offsets have moved."""
        rewriter = _Rewriter(self)
        turns, moves = [], []
        for turn in transcript.turns:
            content, cuts = rewriter.rewrite(turn.content)
            calls = []
            for call, span in zip(turn.calls, turn.call_spans, strict=True):
                name, in_name = rewriter.rewrite(call.name)
                arguments, in_arguments = rewriter.rewrite(call.arguments)
                cuts += _shifted(in_name, span.start)
                cuts += _shifted(in_arguments, span.start + len(call.name) + 1)
                calls.append(ToolCall(name, arguments, call.id))
            speaker = turn.name and rewriter.text(turn.name)
            turns.append(replace(turn, content=content, calls=tuple(calls), name=speaker))
            moves.append(_Moves(cuts))
        title = rewriter.text(transcript.id)
        return Redacted(replace(transcript, turns=tuple(turns), id=title), tuple(moves), rewriter)

    def found(self, text: str) -> list[tuple[str, Span]]:
        """What to replace, in order; what overlaps is one, of the kind that begins first."""
        found = sorted(self._matches(text), key=lambda pair: (pair[1].start, -pair[1].end))
        kept: list[tuple[str, Span]] = []
        for kind, span in found:
            if kept and span.start < kept[-1][1].end:
                first, before = kept[-1]
                kept[-1] = (first, Span(before.start, max(before.end, span.end)))
            else:
                kept.append((kind, span))
        return kept

    def _matches(self, text: str) -> Iterator[tuple[str, Span]]:
        for kind, pattern in (
            ("key", _KEY),
            ("email", _EMAIL),
            *(("redacted", pattern) for pattern in self._compiled),
        ):
            for match in pattern.finditer(text):
                if match.end() > match.start():
                    yield kind, Span(*match.span())
        for match in _SECRET_FIELD.finditer(text):
            if match["value"]:
                yield "key", Span(*match.span("value"))
        for match in _CARD.finditer(text):
            if _has_check_digit(match.group()):
                yield "card", Span(*match.span())


def _has_check_digit(number: str) -> bool:
    """The Luhn check, which card numbers pass and order numbers mostly do not."""
    digits = [int(c) for c in number if c.isdigit()]
    doubled = [d if i % 2 == 0 else sum(divmod(2 * d, 10)) for i, d in enumerate(digits[::-1])]
    return sum(doubled) % 10 == 0 and len(set(digits)) > 1


_Cut = tuple[Span, str]
"""What is replaced, and by what."""


class _Rewriter:
    """Puts placeholders into any number of texts, the same one wherever a value is the same."""

    def __init__(self, redaction: Redaction) -> None:
        self._redaction = redaction
        self._placeholders: dict[str, str] = {}
        self._counts: Counter[str] = Counter()

    def rewrite(self, text: str) -> tuple[str, list[_Cut]]:
        cuts = [
            (span, self._placeholder(kind, span.of(text)))
            for kind, span in self._redaction.found(text)
        ]
        out, at = [], 0
        for span, label in cuts:
            out += [text[at : span.start], label]
            at = span.end
        return "".join(out) + text[at:], cuts

    def text(self, text: str) -> str:
        return self.rewrite(text)[0]

    def _placeholder(self, kind: str, value: str) -> str:
        if value not in self._placeholders:
            self._counts[kind] += 1
            self._placeholders[value] = f"[{kind}-{self._counts[kind]}]"
        return self._placeholders[value]


def _shifted(cuts: list[_Cut], by: int) -> list[_Cut]:
    return [(span.shifted(by), label) for span, label in cuts]


class _Moves:
    """How the offsets of one turn's text move."""

    def __init__(self, cuts: list[_Cut]) -> None:
        self._starts = [span.start for span, _ in cuts]
        self._cuts = cuts
        self._shifts = [0]  # by how much text after the nth cut has moved
        for span, label in cuts:
            self._shifts.append(self._shifts[-1] + len(label) - len(span))

    def touch(self, span: Span) -> bool:
        """Whether any of the span was replaced."""
        return any(cut.start < span.end and span.start < cut.end for cut, _ in self._cuts)

    def span(self, span: Span) -> Span:
        return Span(self._at(span.start, end=False), self._at(span.end, end=True))

    def _at(self, offset: int, *, end: bool) -> int:
        index = bisect_right(self._starts, offset) - 1
        if index >= 0:
            cut, label = self._cuts[index]
            if cut.start < offset < cut.end:
                return cut.start + self._shifts[index] + (len(label) if end else 0)
            if offset < cut.end:  # exactly at its start
                return offset + self._shifts[index]
        return offset + self._shifts[index + 1]


@dataclass(frozen=True)
class Redacted:
    """A transcript after redaction, and its traces in terms of it."""

    transcript: Transcript
    _moves: tuple[_Moves, ...]
    _rewriter: _Rewriter

    def text(self, text: str) -> str:
        """Any other text that goes with the transcript, with the same placeholders."""
        return self._rewriter.text(text)

    def graph(self, graph: ProvenanceGraph) -> ProvenanceGraph:
        """A graph of the original transcript, in terms of this one."""
        return replace(
            graph,
            target=self._target(graph.target),
            nodes=tuple(self._node(node) for node in graph.nodes),
            edges=tuple(self._edge(edge) for edge in graph.edges),
            units=tuple(self._unit(unit) for unit in graph.units),
            spec=self._spec(graph.spec),
            transcript_id=self.transcript.id,
            fingerprint=self.transcript.fingerprint,
        )

    def steps(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        """The steps of a trace, in terms of this transcript."""
        return tuple(
            replace(
                step,
                node=self._node(step.node),
                target=self._target(step.target) if step.target else None,
                candidates=tuple(
                    Link(link.turn, link.score, self.spans(link.turn, link.evidence))
                    for link in step.candidates
                ),
                edges=tuple(self._edge(edge) for edge in step.edges),
                units=tuple(self._unit(unit) for unit in step.units),
            )
            for step in steps
        )

    def spans(self, turn: int, spans: tuple[Span, ...]) -> tuple[Span, ...]:
        """Spans of one turn, in terms of this transcript."""
        moved = tuple(self._moves[turn].span(span) for span in spans)
        # Two spans that met inside one value now share its placeholder.
        return merge_spans(moved) if len(moved) > 1 else moved

    def _target(self, target: Target) -> Target:
        return Target(target.turn, self.spans(target.turn, target.spans))

    def _node(self, node: Node) -> Node:
        return replace(node, spans=self.spans(node.turn, node.spans))

    def _edge(self, edge: Edge) -> Edge:
        return replace(edge, evidence=self.spans(edge.source, edge.evidence))

    def _spec(self, spec: AttributorSpec) -> AttributorSpec:
        """Of which the model and some options can be paths of the user's."""
        options = {
            key: self.text(value) if isinstance(value, str) else value
            for key, value in spec.options.items()
        }
        return replace(spec, model=spec.model and self.text(spec.model), options=options)

    def _unit(self, unit: Unit) -> Unit:
        texts = ((unit.turn, unit.span), *unit.sources)
        # A note may quote any of the texts that it is about.
        is_safe = not any(self._moves[turn].touch(span) for turn, span in texts)
        return replace(
            unit,
            span=self._moves[unit.turn].span(unit.span),
            sources=tuple((turn, self._moves[turn].span(span)) for turn, span in unit.sources),
            note=self.text(unit.note) if is_safe else "",
        )


def redacted_text(text: str, redaction: Redaction) -> str:
    """One text without its secrets.

    >>> redacted_text("mail ann@example.org or bob@example.org, not ann@example.org", Redaction())
    'mail [email-1] or [email-2], not [email-1]'
    """
    from tokengeist.transcript import Role

    turn = Turn(0, Role.USER, text)
    return redaction.apply(Transcript((turn,))).transcript.turns[0].text
