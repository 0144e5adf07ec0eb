"""`tokengeist faithfulness`: how well a backend's scores foretell a model, without any gold."""

from __future__ import annotations

from typing import Annotated

import typer

from tokengeist.api import DEFAULT_BACKEND, settings_for
from tokengeist.attribution.named_model import require_a_reader
from tokengeist.attribution.registry import BackendOptions, create_attributor
from tokengeist.cli.options import (
    AsJson,
    Conversation,
    Device,
    Dtype,
    File,
    Format,
    Model,
    Probe,
    Render,
    Seed,
    TrustRemoteCode,
)
from tokengeist.cli.output import print_json, progress_bar
from tokengeist.formats import load
from tokengeist.segmentation import segment
from tokengeist.transcript import locate_target


def faithfulness(
    file: File,
    span: Annotated[
        str | None, typer.Option(help="The text to explain. Default: the last assistant turn.")
    ] = None,
    turn: Annotated[int | None, typer.Option(help="The turn the span stands in.")] = None,
    conversation: Conversation = None,
    format: Format = None,
    backend: Annotated[str, typer.Option(help="Whose scores to measure.")] = DEFAULT_BACKEND,
    model: Model = None,
    device: Device = None,
    dtype: Dtype = None,
    trust_remote_code: TrustRemoteCode = False,
    render: Render = None,
    probe: Probe = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Measure LDS and top-k drop of a backend's scores by taking sources away from a model."""
    from tokengeist.attribution.cached import load_judge
    from tokengeist.attribution.faithfulness import faithfulness as measure

    transcript = load(file, format=format, conversation=conversation)
    target = locate_target(transcript, span, turn=turn)
    options = BackendOptions(
        model=model,
        device=device,
        dtype=dtype,
        render=render,
        trust_remote_code=trust_remote_code,
        seed=seed,
        probe=probe,
    )
    require_a_reader(backend, options, is_judged=True)
    sources = segment(transcript, settings_for(backend).granularity)
    with progress_bar():
        reading = create_attributor(backend, options).read(transcript, sources)
        loaded = load_judge(options)
        found = measure(loaded, transcript, sources, reading=reading, target=target, render=render)
    if as_json:
        print_json({"backend": backend, "model": loaded.name, "lds": found.lds,
                    "top_k_drop": found.top_k_drop})  # fmt: skip
        return
    print(f"{backend}, measured with {loaded.name}")
    print(f"LDS         {found.lds:+.3f}")
    for k, drop in found.top_k_drop.items():
        print(f"top-{k} drop  {drop:+.2f} nats")
