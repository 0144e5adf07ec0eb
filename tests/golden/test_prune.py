"""The page prunes by itself; `prune.json` is what both sides must agree on."""

from __future__ import annotations

import json

from tests.golden.make_prune import FILE, cases


def test_the_shared_cases_are_what_pruning_does_now() -> None:
    """The page's half of this test is viewer/test/prune.test.ts."""
    assert json.loads(FILE.read_text("utf-8")) == cases()


def test_the_cases_reach_every_branch() -> None:
    """A golden file that prunes nothing would agree with anything."""
    found = cases()
    assert any(case["graph"]["edges"] != case["pruned"]["edges"] for case in found)
    stops = {node["stop"] for case in found for node in case["pruned"]["nodes"]}
    assert {"depth", "no source", "exogenous", None} <= stops
