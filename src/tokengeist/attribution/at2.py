"""`at2`: attention weighted by a learned probe, one weight per head (Cohen-Wang et al., 2025).

The same one pass as `attention`; the probe's weighting is applied while capturing, in float32.
Weights may be negative, and so may a score be: it then counts as 0, as everywhere at the seam,
because a source that speaks against the target does not support it. A turn all of whose sources
are below zero gets no edge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokengeist.attribution.attention import AttentionAttributor
from tokengeist.attribution.protocol import AttributorSpec
from tokengeist.models.loading import load_model

if TYPE_CHECKING:
    from tokengeist.attribution.registry import BackendOptions


def create(options: BackendOptions) -> AttentionAttributor:
    """The backend as the registry makes it."""
    model = load_model(
        options.model,
        device=options.device,
        dtype=options.dtype,
        trust_remote_code=options.trust_remote_code,
    )
    from tokengeist.models.probe import default_probe, load_probe

    probe = load_probe(options.probe, model) if options.probe else default_probe(model)
    spec = AttributorSpec("at2", model.name, {"render": options.render, "probe": options.probe})
    return AttentionAttributor(model, render=options.render, head_weights=probe.weights, spec=spec)
