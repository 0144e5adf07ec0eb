"""A transcript as the annotating model reads it.

Every turn stands there with its canonical text, unaltered, because the model must quote it. The
line that opens a turn carries a mark made from the transcript's own digest: text inside a turn
cannot pass itself off as another turn.
"""

from __future__ import annotations

from tokengeist.transcript import Role, Transcript


def mark(transcript: Transcript) -> str:
    """What every opening line of this transcript's listing starts with."""
    return f"=== {transcript.fingerprint[:8]}"


def listing(transcript: Transcript) -> str:
    """All turns, each under its opening line."""
    opening = mark(transcript)
    parts = []
    for turn in transcript.turns:
        who = f"{turn.role}"
        if turn.role is Role.TOOL and turn.index in transcript.call_sites:
            who += f", result of a call in turn {transcript.call_sites[turn.index].turn}"
        elif turn.is_summary:
            who += ", a summary written by the agent itself"
        parts.append(f"{opening} turn {turn.index}: {who}\n{turn.text}")
    return "\n\n".join(parts)
