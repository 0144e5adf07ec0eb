"""The paper's five-turn walk-through, as each backend draws it today.

To accept a change on purpose: `tokengeist trace src/tokengeist/examples/refund.json --span
"full refund" --turn 4 --backend NAME -o tests/golden/refund.NAME.json`, and look at the difference.
`blend` is drawn without a model: `--model none`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tokengeist.api import settings_for, trace
from tokengeist.attribution.registry import BackendOptions
from tokengeist.export.graph_file import to_json
from tokengeist.transcript import Transcript

GOLDEN = sorted((Path(__file__).parent / "golden").glob("refund.*.json"))


def test_there_is_a_golden_file_for_the_papers_method() -> None:
    assert {"refund.attention.json", "refund.lexical.json"} <= {path.name for path in GOLDEN}


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name)
def test_the_refund_is_traced_as_recorded(refund: Transcript, path: Path) -> None:
    backend = path.name.split(".")[1]
    options = BackendOptions(model="none" if backend == "blend" else None)
    graph = trace(refund, "full refund", turn=4, backend=backend, options=options)
    drawn = to_json(graph, refund, settings_for(backend).view)
    recorded = json.loads(path.read_text("utf-8"))
    assert [e.pop("score") for e in drawn["edges"]] == pytest.approx(
        [e.pop("score") for e in recorded["edges"]], rel=1e-3
    )
    assert drawn == recorded


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name)
def test_what_is_kept_is_the_chain_of_the_walk_through(path: Path) -> None:
    recorded: dict[str, Any] = json.loads(path.read_text("utf-8"))
    kept = [(e["dependent"], e["source"], e["kind"]) for e in recorded["edges"] if e["kept"]]
    assert kept == [
        (4, 3, "attribution"),
        (3, 2, "attribution"),
        (2, 1, "structural"),
        (1, 0, "attribution"),
    ]
