"""`tokengeist bench`: benchmark folders, runs over them, and what comes of the runs."""

from __future__ import annotations

import typer

from tokengeist.cli.bench import correct, data, diagnose, reports, runs

app = typer.Typer(
    name="bench",
    help="Run, score and report attribution over transcripts with gold provenance graphs.",
    no_args_is_help=True,
)
app.command("validate")(data.validate)
app.command("gold")(data.gold)
app.command("stats")(data.stats)
app.command("subset")(data.subset)
app.command("import")(data.import_)
app.command("synth")(data.synth)
app.command("correct")(correct.correct)
app.command("diagnose")(diagnose.diagnose)
app.command("run")(runs.run)
app.command("score")(runs.score)
app.command("compare")(runs.compare)
app.command("ablate")(reports.ablate)
app.command("report")(reports.report)
app.command("sweep")(reports.sweep)
