"""`at2`: attention weighted by a learned probe, one weight per head (Cohen-Wang et al., 2025).

The same one pass as `attention`; the probe's weighting is applied while capturing, in float32.
Weights may be negative, and so may a score be: it then counts as 0, as everywhere at the seam,
because a source that speaks against the target does not support it. A turn all of whose sources
are below zero gets no edge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from tokengeist.attribution.attention import AttentionAttributor
from tokengeist.attribution.cached import cached, load_for
from tokengeist.attribution.protocol import Attributor, AttributorSpec, OptionValue
from tokengeist.models.shipped import shipped_probe
from tokengeist.models.store import locate

if TYPE_CHECKING:
    from tokengeist.attribution.registry import BackendOptions


def create(options: BackendOptions) -> Attributor:
    """The backend as the registry makes it.

    Without a probe of the user's own: the shipped one for a model that has one, else the released.
    """
    said = {"render": options.render, "probe": options.probe}
    if options.probe is None and (shipped := shipped_probe(locate(options.model))) is not None:
        options = replace(options, probe=str(shipped))
    return cached("at2", options, said, lambda options: _load(options, said))


def _load(options: BackendOptions, said: Mapping[str, OptionValue]) -> AttentionAttributor:
    from tokengeist.models.probe import load_probe, released_probe

    model = load_for(options)
    probe = load_probe(options.probe, model) if options.probe else released_probe(model)
    spec = AttributorSpec("at2", model.name, said)
    return AttentionAttributor(model, render=options.render, head_weights=probe.weights, spec=spec)
