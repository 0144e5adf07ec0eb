"""Gold that is true by construction, said back by a perfect annotator, comes out the same."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.bench.annotation.servers import serving
from tokengeist.bench.annotation.run import annotate
from tokengeist.bench.annotation.settings import Models, ServerSettings
from tokengeist.bench.annotation.targets import MOST
from tokengeist.bench.dataset import Dataset, GoldForm, write_gold
from tokengeist.bench.synth import generate, write


def test_a_perfect_annotator_reproduces_synthetic_gold(tmp_path: Path) -> None:
    write(tmp_path / "synth", generate(12, seed=5))
    truth = Dataset(tmp_path / "synth")
    by_mark = {}
    for id in truth.ids:
        raw = json.loads(truth.gold_path(id).read_bytes())
        by_mark[truth.transcript(id).fingerprint[:8]] = raw["targets"][:MOST]
    write_gold(list(truth), tmp_path / "expected", GoldForm.QUOTED)

    def perfect(request: dict[str, Any]) -> str:
        prompt = request["messages"][0]["content"]
        mark = re.search(r"`=== (\w{8})`", prompt)
        assert mark is not None
        targets = by_mark[mark[1]]
        asked = re.search(r"# The span\n\n(\{.*\})\n", prompt)
        if asked is not None:
            name = json.loads(asked[1])["name"]
            return json.dumps(next(t for t in targets if t["name"] == name))
        keys = ("name", "target_turn_idx", "target_text")
        return json.dumps({"targets": [{key: t[key] for key in keys} for t in targets]})

    for path in (tmp_path / "synth" / "gold").iterdir():
        path.unlink()
    with serving(perfect) as server:
        settings = ServerSettings(server.url, concurrency=8, first_wait=0.01)
        summary = annotate(Dataset(tmp_path / "synth"), settings, Models("perfect"))
    assert summary.finished == 12
    assert summary.set_aside == 0
    for id in truth.ids:
        made = json.loads(truth.gold_path(id).read_bytes())["targets"]
        expected = json.loads((tmp_path / "expected" / f"{id}.json").read_bytes())["targets"]
        for target in expected:  # the simulator knows of what kind a mistake is; nobody is asked
            target.pop("hallucination_kind", None)
        assert made == expected[:MOST]
