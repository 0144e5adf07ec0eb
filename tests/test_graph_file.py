"""The JSON file: valid by its own schema, and the same graph when it comes back."""

from __future__ import annotations

import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import score_tables, traceable_transcripts
from tests.test_extraction import views
from tests.test_tracer import REFUND_SCORES, trace
from tokengeist.errors import GraphError
from tokengeist.export.graph_file import from_json, schema, to_json
from tokengeist.extraction import View
from tokengeist.transcript import Transcript


@given(st.data(), views)
def test_round_trip(data: st.DataObject, view: View) -> None:
    transcript = data.draw(traceable_transcripts())
    graph = trace(transcript, data.draw(score_tables(transcript)))
    written = json.loads(json.dumps(to_json(graph, transcript, view)))
    jsonschema.validate(written, schema())
    assert from_json(written) == (graph, view)


def test_the_view_is_marked_on_nodes_and_edges(refund: Transcript) -> None:
    data = to_json(trace(refund, REFUND_SCORES), refund, View())
    kept = [(e["dependent"], e["source"]) for e in data["edges"] if e["kept"]]
    assert kept == [(4, 3), (3, 2), (2, 1), (1, 0)]
    assert all(node["kept"] for node in data["nodes"])
    assert "not proof" in data["caveat"]


def test_other_json_is_refused() -> None:
    with pytest.raises(GraphError, match=r"x\.json is not a Tokengeist graph"):
        from_json({"nodes": []}, where="x.json")


def test_a_later_version_says_what_to_do(refund: Transcript) -> None:
    data = to_json(trace(refund, {}), refund, View()) | {"version": 2}
    with pytest.raises(GraphError, match="version 2; this Tokengeist reads version 1"):
        from_json(data)


def test_a_damaged_file_is_refused(refund: Transcript) -> None:
    data = to_json(trace(refund, REFUND_SCORES), refund, View())
    del data["nodes"][0]["role"]
    with pytest.raises(GraphError, match="damaged: KeyError"):
        from_json(data)
    looped = to_json(trace(refund, REFUND_SCORES), refund, View())
    looped["edges"][0]["source"] = 4
    with pytest.raises(GraphError, match="does not point back in time"):
        from_json(looped)
