"""The page as a file: self-contained, small, and deaf to what a transcript tries."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tokengeist.api import open_tracer, settings_for
from tokengeist.export.html import file_page, to_html
from tokengeist.export.page import conversation_json, redacted_trace, trace_json
from tokengeist.export.redaction import Redaction
from tokengeist.formats import example_path, load
from tokengeist.server.bundle import built_from, sources_digest
from tokengeist.tracer import collect
from tokengeist.transcript import Role, Target, ToolCall, Transcript, Turn, locate_target

VIEWER = Path(__file__).resolve().parents[1] / "viewer"


def page(transcript: Transcript, target: Target, *, redact: Redaction | None = None) -> str:
    """The page of one lexical trace."""
    tracer = open_tracer(transcript, backend="lexical")
    steps = tuple(tracer.steps(target))
    graph = collect(tracer, target, steps)
    view = settings_for("lexical").view
    return to_html(transcript, [graph], [view], steps=[steps], redact=redact)


def data_of(html: str) -> dict[str, object]:
    """The JSON inside a page."""
    found = re.search(r'id="tokengeist-data">(.*?)</script>', html, re.DOTALL)
    assert found
    data: dict[str, object] = json.loads(found.group(1))
    return data


def test_the_policy_allows_this_script_and_nothing_else(refund: Transcript) -> None:
    """The hash in the policy is that of the script in the file."""
    html = page(refund, locate_target(refund))
    script = html[html.rindex("<script>") + 8 : html.rindex("</script>")]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in html
    assert "default-src 'none'" in html
    assert not re.search(r'(?:src|href)="(?!data:)', html)


def test_nothing_in_a_transcript_closes_the_data() -> None:
    """Markup in a transcript stays inside the JSON string that it stands in."""
    hostile = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)> \u2028 \ud800"
    transcript = Transcript((Turn(0, Role.USER, hostile), Turn(1, Role.ASSISTANT, hostile)))
    html = page(transcript, Target.whole(transcript.turns[1]))
    html.encode("utf-8")  # a lone surrogate must not stop the file from being written
    assert html.count("<script") == 2
    assert "alert(1)</script>" not in html
    assert json.dumps(hostile) in json.dumps(data_of(html))


def test_thirty_turns_stay_under_400_kilobytes() -> None:
    """A page that can be mailed: 30 long turns with look-ups and their results."""
    turns = [Turn(0, Role.SYSTEM, "Follow the policy. " * 200)]
    for index in range(1, 30, 3):
        arguments = json.dumps({"order": f"QX-{index}"})
        result = json.dumps({f"field_{n}": f"value {n} of {index}" for n in range(60)})
        turns += [
            Turn(index, Role.ASSISTANT, "Looking.", (ToolCall("find", arguments, f"c{index}"),)),
            Turn(index + 1, Role.TOOL, result, call_id=f"c{index}"),
            Turn(index + 2, Role.ASSISTANT, f"It says value 7 of {index}, and value 8 of {index}."),
        ]
    transcript = Transcript(tuple(turns[:30]))
    html = page(transcript, locate_target(transcript))
    assert len(html.encode()) < 400_000


def test_redaction_reaches_the_page() -> None:
    """Not even the data hold what was taken out."""
    transcript = load(example_path("observatory"))
    target = locate_target(transcript, "5582", turn=12)
    html = page(transcript, target, redact=Redaction((r"5582", r"M-\d+")))
    assert "5582" not in html[html.index("tokengeist-data") :]
    assert "M-208" not in html
    assert data_of(html)["redacted"] is True


def test_redaction_reaches_names_and_compact_arguments() -> None:
    """Of speakers, tools and traces, whether the trace is fresh or was kept as JSON."""
    mail, key, password = "ann@example.org", "sk-ABCDEFGHIJKLMNOPQRSTUV", "hunter2secret"
    login = ToolCall(f"login_{mail}", f'{{"user":"ann","password":"{password}"}}', "c")
    transcript = Transcript(
        (
            Turn(0, Role.USER, "Log me in.", name=mail),
            Turn(1, Role.ASSISTANT, "", (login,)),
            Turn(2, Role.TOOL, '{"ok":true}', call_id="c", name=key),
            Turn(3, Role.ASSISTANT, "Logged in: ok."),
        )
    )
    view = settings_for("lexical").view
    graph = open_tracer(transcript, backend="lexical").trace(Target.whole(transcript.turns[3]))
    fresh = to_html(transcript, [graph], [view], names=[f"what {mail} saw"], redact=Redaction())
    redacted = Redaction().apply(transcript)
    kept = trace_json(graph, transcript, view, id=f"gold-{mail}", name=mail)
    stored = file_page(conversation_json(redacted.transcript), [redacted_trace(kept, redacted)])
    for html in (fresh, stored):
        assert not [secret for secret in (mail, key, password) if secret in html]
    assert "what [email-1] saw" in fresh


def test_the_bundle_is_as_new_as_its_sources() -> None:
    """Run `npm ci && npm run build` in viewer/ after any change there."""
    if not VIEWER.is_dir():
        pytest.skip("viewer/ is not part of this installation")
    assert built_from() == sources_digest(VIEWER)


@pytest.mark.parametrize("script", ["typecheck", "lint", "test"])
def test_the_sources_of_the_page(script: str) -> None:
    """Types, lint and unit tests of the TypeScript."""
    if shutil.which("npm") is None or not (VIEWER / "node_modules").is_dir():
        pytest.skip("no Node, or no `npm ci` in viewer/")
    done = subprocess.run(
        ["npm", "run", "--silent", script], cwd=VIEWER, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
