"""Reports: what stands in them, in all three formats, and the sweep that makes them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.bench.worlds import make_dataset
from tokengeist.api import Settings, settings_for
from tokengeist.attribution.registry import BackendOptions
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.report.build import build
from tokengeist.bench.report.content import Report, Table, mark_best
from tokengeist.bench.report.writing import write_report
from tokengeist.bench.run import run, run_repeats
from tokengeist.bench.scoring import score
from tokengeist.bench.store import RunFolder
from tokengeist.bench.sweep import read_sweep, run_sweep
from tokengeist.bench.transfer import across, elsewhere, transfer
from tokengeist.bench.worker import Method
from tokengeist.errors import RunError, UnknownNameError
from tokengeist.tracer import TraceOptions

pytest.importorskip("matplotlib")

FLAT = Settings(trace=TraceOptions(max_depth=1))


@pytest.fixture
def runs(dataset: Dataset, tmp_path: Path) -> list[Path]:
    run(dataset, tmp_path / "deep", Method("lexical"))
    run(dataset, tmp_path / "flat", Method("lexical", settings=FLAT))
    return [tmp_path / "deep", tmp_path / "flat"]


@pytest.fixture
def report(runs: list[Path]) -> Report:
    return build(runs)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.refs: list[str] = []
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id" and value:
                self.ids.append(value)
            if name in ("href", "xlink:href", "src") and value:
                (self.refs if value.startswith("#") else self.outside).append(value.lstrip("#"))


def tables(report: Report) -> dict[str, Table]:
    parts = [part for section in report.sections for part in section.parts]
    return {part.title: part for part in parts if isinstance(part, Table)}


def test_the_main_table_says_what_scoring_says(
    report: Report, runs: list[Path], dataset: Dataset
) -> None:
    table = tables(report)["Flat versus recursive attribution"]
    assert [row.label for row in table.rows] == ["no model", "Flat Lexical", "Tg + Lexical"]
    overall = score(dataset, RunFolder(runs[0])).overall
    assert [cell.text for cell in table.rows[2].cells] == [
        f"{100 * overall[m].mean:.1f}" for m in ("edge_f1", "node_f1", "source_recall", "span_f1")
    ]
    assert table.groups == (("data (n = 18)", 4),)


def test_a_page_stands_on_its_own(report: Report, tmp_path: Path) -> None:
    (file,) = write_report(report, tmp_path / "report.html")
    page = _Page()
    page.feed(file.read_text())
    assert page.outside == []
    assert "script" not in page.tags
    assert len(page.ids) == len(set(page.ids))
    assert set(page.refs) <= set(page.ids)
    assert page.tags.count("svg") == len(report.charts()) == 5
    assert page.tags.count("table") == len(tables(report))


def test_the_same_runs_give_the_same_bytes(
    report: Report, runs: list[Path], tmp_path: Path
) -> None:
    write_report(report, tmp_path / "a.html")
    write_report(build(runs), tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_markdown_comes_with_its_figures(report: Report, tmp_path: Path) -> None:
    files = write_report(report, tmp_path / "report.md")
    text = files[0].read_text()
    linked = re.findall(r"\]\((report-figures/[^)]+)\)", text)
    assert sorted(str(f.relative_to(tmp_path)) for f in files[1:]) == sorted(linked)
    for file in files[1:]:
        assert ET.parse(file).getroot().tag.endswith("svg")
    rows = [line for line in text.splitlines() if line.startswith("| Tg + Lexical")]
    assert rows
    assert "multi-source" in text


def test_latex_is_balanced_and_escaped(dataset: Dataset, runs: list[Path], tmp_path: Path) -> None:
    run(
        dataset,
        tmp_path / "blend",
        Method("blend", BackendOptions(model="none"), settings_for("blend")),
    )
    runs = [*runs, tmp_path / "blend"]
    files = write_report(build(runs, title="100% of_it & more"), tmp_path / "report.tex")
    text = files[0].read_text()
    assert r"\title{100\% of\_it \& more}" in text
    for kind in ("table", "tabular", "figure", "document", "itemize"):
        assert text.count(rf"\begin{{{kind}}}") == text.count(rf"\end{{{kind}}}") > 0
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
    assert text.isascii()  # pdflatex knows no arrow and no alpha by itself
    for file in files[1:]:
        assert file.read_bytes().startswith(b"%PDF")


def test_an_unknown_format_is_refused(report: Report, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"not \.docx"):
        write_report(report, tmp_path / "report.docx")


def test_a_hostile_title_cannot_leave_its_place(runs: list[Path], tmp_path: Path) -> None:
    title = "<script>alert(1)</script>"
    (file,) = write_report(build(runs, title=title), tmp_path / "report.html")
    assert "<script" not in file.read_text()


def test_one_run_alone_can_be_reported(runs: list[Path], tmp_path: Path) -> None:
    report = build(runs[:1])
    assert report.summary == ()
    assert "What recursion adds" not in tables(report)
    write_report(report, tmp_path / "report.html")


def test_a_flat_run_alone_has_no_ablations(runs: list[Path]) -> None:
    assert "Ablations" not in [section.title for section in build(runs[1:]).sections]


def test_twins_are_refused(dataset: Dataset, runs: list[Path], tmp_path: Path) -> None:
    run(dataset, tmp_path / "twin", Method("lexical"))
    with pytest.raises(RunError, match="report on one of them"):
        build([runs[0], tmp_path / "twin"])


def test_weights_of_other_origins_stand_side_by_side(tmp_path: Path) -> None:
    data = Dataset(make_dataset(tmp_path / "data", ["x-sea-1", "x-air-1"]))
    other = Dataset(make_dataset(tmp_path / "other", ["y-land-1"]))
    transfer(data, across(data), tmp_path / "across")
    transfer(data, elsewhere([other], data), tmp_path / "elsewhere")
    run(
        data,
        tmp_path / "shipped",
        Method("blend", BackendOptions(model="none"), settings_for("blend")),
    )
    report = build([tmp_path / name for name in ("across", "elsewhere", "shipped")])
    assert [row.label for row in tables(report)["Flat versus recursive attribution"].rows] == [
        "no model",
        "Tg + Blend from the other domains of data",
        "Tg + Blend from other",
        "Tg + Blend",
    ]


def test_repeats_are_reported_with_their_deviation(dataset: Dataset, tmp_path: Path) -> None:
    run_repeats(dataset, tmp_path / "runs", Method("lexical"), 3)
    table = tables(build([tmp_path / "runs"]))["Main results with intervals"]
    assert table.rows[1].cells[0].detail == "± 0.0"


def test_what_nobody_was_asked_has_no_column(dataset: Dataset, tmp_path: Path) -> None:
    for id in dataset.ids:
        path = dataset.gold_path(id)
        path.write_text(path.read_text().replace('["chained"]', '["chained", "hallucination"]'))
    run(dataset, tmp_path / "run", Method("lexical"))
    table = tables(build([tmp_path / "run"]))["Attribution of hallucinations"]
    assert table.groups == (("Hallucinated targets", 2),)
    assert table.columns == ("Halluc. F1", "Overall F1")


def test_errors_stand_in_a_column_per_method(report: Report) -> None:
    kinds = tables(report)["Errors by kind of edge"]
    assert kinds.columns == ("gold", "Flat Lexical", "Tg + Lexical")
    (row,) = [row for row in kinds.rows if row.label == "result → call"]
    assert [cell.text for cell in row.cells][:2] == ["18", "18 / 0"]  # flat never gets that far
    types = tables(report)["Errors by dependency type"]
    assert [row.label for row in types.rows] == ["direct", "chained", "multi-source"]


def test_the_best_is_what_is_printed_highest() -> None:
    assert mark_best([0.51, 0.5104, 0.3]) == [True, True, False]
    assert mark_best([0.5, None]) == [False, False]


def test_a_sweep_runs_the_whole_matrix_once(tmp_path: Path) -> None:
    make_dataset(tmp_path / "one", ["a", "b"])
    make_dataset(tmp_path / "two", ["c"])
    file = tmp_path / "sweep.toml"
    file.write_text('data = ["one", "two"]\nbackends = ["lexical"]\n')
    folders = run_sweep(read_sweep(file))
    assert [str(f.relative_to(tmp_path)) for f in folders] == [
        "results/one/flat-lexical",
        "results/one/recursive-lexical",
        "results/two/flat-lexical",
        "results/two/recursive-lexical",
    ]
    before = [(f / "predictions.jsonl").read_bytes() for f in folders]
    run_sweep(read_sweep(file))
    assert [(f / "predictions.jsonl").read_bytes() for f in folders] == before
    table = tables(build(folders))["Flat versus recursive attribution"]
    assert [name for name, _ in table.groups] == ["one (n = 6)", "two (n = 3)"]


def test_each_backend_of_a_sweep_is_run_with_the_models_it_can_read_with(tmp_path: Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text(
        'data = ["one"]\nrecursion = ["recursive"]\n'
        'backends = ["lexical", "blend", "attention"]\nmodels = ["m1", "minilm", "m2"]\n'
    )
    methods = [cell.method for cell in read_sweep(file).cells()]
    assert [(method.backend, method.options.model) for method in methods] == [
        ("lexical", None),
        ("blend", "minilm"),
        ("attention", "m1"),
        ("attention", "m2"),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("data = [", "is not TOML"),
        ('backends = ["lexical"]', "'data' is a list"),
        ('data = ["x"]\nbackend = ["lexical"]', "Did you mean 'backends'"),
        ('data = ["x"]\nbackends = ["lexical"]\nrecursion = ["deep"]', "not 'deep'"),
        ('data = ["x"]\nbackends = ["lexical"]\n[trace]\nalhpa = 1', "Did you mean 'alpha'"),
    ],
)
def test_a_faulty_sweep_file_is_explained(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text(text)
    with pytest.raises(RunError, match=said):
        read_sweep(file)


def test_a_sweep_over_an_unknown_backend_is_explained(tmp_path: Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text('data = ["x"]\nbackends = ["lexcal"]')
    with pytest.raises(UnknownNameError, match="Did you mean 'lexical'"):
        run_sweep(read_sweep(file))
