"""`tokengeist probe`: learn which heads to listen to."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tokengeist.attribution.registry import BackendOptions
from tokengeist.cli.options import (
    AsJson,
    Device,
    Dtype,
    Model,
    Render,
    TrustRemoteCode,
)
from tokengeist.cli.output import print_json, progress_bar
from tokengeist.errors import TokengeistError
from tokengeist.formats import load_all

app = typer.Typer(help="Train probes for the at2 backend.", no_args_is_help=True)


@app.command()
def train(
    transcripts: Annotated[
        list[Path], typer.Argument(help="Transcripts, or folders of them, to learn from.")
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder to write the probe to.")],
    model: Model = None,
    device: Device = None,
    dtype: Dtype = None,
    trust_remote_code: TrustRemoteCode = False,
    render: Render = None,
    masks: Annotated[int, typer.Option(min=2, help="Ablations per transcript: a pass each.")] = 32,
    max_tokens: Annotated[
        int, typer.Option(min=1, help="Pass over turns that end later than this.")
    ] = 2048,
    as_json: AsJson = False,
) -> None:
    """Train a probe by AT2's method, on ablations of your own transcripts.

    Examples are kept in OUT/checkpoints: the same command again goes on where it was stopped.
    """
    from tokengeist.models.loading import require_models_extra

    require_models_extra()
    from tokengeist.attribution.cached import load_for
    from tokengeist.attribution.probe_training import TrainingOptions, train_probe
    from tokengeist.models.probe import save_probe

    found = [t for path in _files(transcripts) for t in load_all(path)]
    options = BackendOptions(
        model=model, device=device, dtype=dtype, trust_remote_code=trust_remote_code
    )
    chosen = TrainingOptions(masks=masks, max_tokens=max_tokens, render=render)
    with progress_bar():
        probe, scores = train_probe(load_for(options), found, out / "checkpoints", options=chosen)
    save_probe(probe, out)
    if as_json:
        print_json({"probe": str(out), **asdict(scores)})
        return
    print(f"probe for --backend at2 --probe {out}; correlation with ablations:")
    for name, value in asdict(scores).items():
        print(f"  {name.replace('_', ' ')}: {value:.3f}")


def _files(paths: list[Path]) -> list[Path]:
    """The files named, and those inside the folders named."""
    files = []
    for path in paths:
        inside = (
            sorted(p for p in path.rglob("*.json*") if p.is_file()) if path.is_dir() else [path]
        )
        if not inside:
            raise TokengeistError(f"the folder {path} holds no .json or .jsonl file")
        files += inside
    return files
