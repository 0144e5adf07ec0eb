"""How each run looks and what it is called, the same in all tables and figures."""

from __future__ import annotations

from tokengeist.bench.report.figures import Style
from tokengeist.bench.report.material import Material, ReportedRun


def styles(material: Material) -> dict[tuple[str, str], Style]:
    """A look for every method: a colour for each backend and model, pale where flat."""
    hues: dict[tuple[str, str], int] = {}
    many = len({run.model for run in material.runs if run.model != "no model"}) > 1
    found = {}
    for run in material.runs:
        hue = hues.setdefault((run.model, run.backend), len(hues))
        label = f"{run.label} ({run.model})" if many and run.model != "no model" else run.label
        found[run.model, run.label] = Style(label, hue, run.is_flat)
    return found


def run_label(material: Material, run: ReportedRun) -> str:
    """A run's name, with its model and its data where there are several."""
    extra = [run.model] if len({r.model for r in material.runs}) > 1 else []
    extra += [run.data] if len(material.data_names) > 1 else []
    return f"{run.label} ({', '.join(extra)})" if extra else run.label
