"""What data sets are made of, and which task families they hold."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pytest

from tokengeist.bench.dataset import Dataset
from tokengeist.bench.domains import call_signatures, cluster, find_domains
from tokengeist.bench.report.data import to_csv, write_figures
from tokengeist.bench.stats import describe
from tokengeist.errors import MissingExtraError

np = pytest.importorskip("numpy")


def test_a_data_set_is_counted(dataset: Dataset) -> None:
    stats = describe(dataset)
    assert (stats.conversations, stats.targets) == (6, 18)
    assert dict(stats.depths) == {5: 6, 3: 6, 1: 6}
    assert stats.depth.mean == 3
    assert (stats.turns.low, stats.turns.mean, stats.turns.high) == (7, 7, 7)
    assert stats.share(stats.with_tools) == pytest.approx(2 / 3)
    assert {tag: count for tag, count, _ in stats.tag_rows()} == {
        "direct": 6, "chained": 12, "multi_source": 6, "diamond": 0, "hallucination": 0,
    }  # fmt: skip


def test_real_data_are_counted(mtca_dev: Dataset) -> None:
    stats = describe(mtca_dev)
    assert (stats.conversations, stats.targets) == (22, 156)
    assert stats.tags["direct"] + stats.tags["chained"] == 156
    assert stats.tags["hallucination"] == 36
    assert max(stats.depths) == 12


def test_csv_and_figures(dataset: Dataset, tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv([describe(dataset)]))))
    found = {(row["table"], row["entry"]): row["value"] for row in rows}
    assert found["overview", "targets"] == "18"
    assert found["tags", "chained"] == "12"
    assert found["depths", "5"] == "6"
    pytest.importorskip("matplotlib")
    files = write_figures([describe(dataset)], tmp_path / "figures")
    assert [file.name for file in files] == ["tags.svg", "depths.svg"]
    assert all(b"<svg" in file.read_bytes() for file in files)


def test_signatures_name_tools_and_arguments(dataset: Dataset) -> None:
    found = call_signatures(dataset.transcript("c0"))
    assert found == ["find_order(order)", "find_shelf(shelf)"]


def test_clusters_are_found_and_counted() -> None:
    draw = np.random.default_rng(0)
    centres = np.eye(8)[:3]
    vectors = np.repeat(centres, 20, axis=0) + draw.normal(0, 0.05, (60, 8))
    labels, silhouette = cluster(vectors)
    assert len(set(labels)) == 3
    assert all(len(set(labels[start : start + 20])) == 1 for start in (0, 20, 40))
    assert silhouette > 0.8
    assert cluster(vectors) == (labels, silhouette)


def test_what_cannot_be_parted_is_one_family() -> None:
    assert cluster(np.ones((20, 4))) == ([0] * 20, 0.0)
    assert cluster(np.eye(3)) == ([0, 0, 0], 0.0)


def test_families_are_named_by_their_tools(dataset: Dataset) -> None:
    def embed(texts: Sequence[str]) -> object:
        return np.ones((len(texts), 2))

    domains = find_domains(dataset, embed)  # type: ignore[arg-type]
    (family,) = domains.families
    assert family.tools == ("find_order", "find_shelf")
    assert family.conversations == dataset.ids


def test_the_bundled_model_tells_airlines_from_shops(mtca_dev: Dataset) -> None:
    try:
        domains = find_domains(mtca_dev)
    except MissingExtraError:
        pytest.skip("the sentence model is not installed: tokengeist models pull minilm")
    for family in domains.families:
        kinds = {id.split("-")[1] for id in family.conversations}
        assert len(kinds) == 1, family
    assert domains.silhouette > 0.2
