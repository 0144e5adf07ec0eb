"""The page as one file that can be mailed: no server, no request, nothing to install.

Script and style are inlined from the built bundle. A content security policy in the file allows
that one script by its hash and nothing from outside, so a transcript that carries markup has
nothing to run with, even if some of it were taken for markup.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Sequence
from importlib import resources
from typing import Any

from tokengeist.export.page import FORMAT, VERSION, conversation_json, trace_json
from tokengeist.export.redaction import Redaction
from tokengeist.extraction import View
from tokengeist.graph import ProvenanceGraph
from tokengeist.tracer import Step
from tokengeist.transcript import Transcript

_LONE = re.compile("[\ud800-\udfff]")


def to_html(
    transcript: Transcript,
    graphs: Sequence[ProvenanceGraph],
    views: Sequence[View],
    *,
    steps: Sequence[Sequence[Step]] | None = None,
    names: Sequence[str | None] | None = None,
    redact: Redaction | None = None,
) -> str:
    """The page for a conversation and any number of its traces.

    `views` says for each graph what of it is shown first. With `steps` (those of each trace) the
    walk-through shows every candidate, not only those that were followed. With `redact`, values
    that it finds are replaced throughout, and all spans move with the text.
    """
    rewritten = redact.apply(transcript) if redact else None
    shown = rewritten.transcript if rewritten else transcript
    traces = []
    for index, (graph, view) in enumerate(zip(graphs, views, strict=True)):
        own_steps = steps[index] if steps is not None else None
        name = names[index] if names else None
        if rewritten:
            graph = rewritten.graph(graph)
            own_steps = rewritten.steps(own_steps) if own_steps is not None else None
            name = name and rewritten.text(name)
        traces.append(trace_json(graph, shown, view, id=str(index), name=name, steps=own_steps))
    return file_page(conversation_json(shown), traces, redacted=redact is not None)


def file_page(
    conversation: dict[str, Any], traces: Sequence[dict[str, Any]], *, redacted: bool = False
) -> str:
    """The page for what `conversation_json` and `trace_json` gave."""
    data = {
        "format": FORMAT,
        "version": VERSION,
        "mode": "file",
        "conversation": conversation,
        "traces": traces,
        "redacted": redacted,
    }
    return _document(f"{conversation['title']} · Tokengeist", data)


def embedded(data: Any) -> str:
    """JSON that can stand inside a script element: nothing in it closes the element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return _LONE.sub(lambda half: f"\\u{ord(half.group()):04x}", text)


def bundled(name: str) -> str:
    """A file of the built page."""
    return resources.files("tokengeist").joinpath("server", "static", name).read_text("utf-8")


def _document(title: str, data: Any) -> str:
    script = bundled("app.js").strip()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="Tokengeist">
<title>{_LONE.sub("�", html.escape(title))}</title>
<style>{bundled("app.css").strip()}</style>
</head>
<body>
<div id="tokengeist"></div>
<noscript>This page draws a provenance graph and needs JavaScript.</noscript>
<script type="application/json" id="tokengeist-data">{embedded(data)}</script>
<script>{script}</script>
</body>
</html>
"""
