"""Synthetic worlds: agent conversations with gold provenance by construction.

Real transcripts have to be annotated; here every value that is written knows where it was read,
so the graph is a by-product of the writing. `generate` streams conversations, `write` stores
them in the benchmark's layout.
"""

from __future__ import annotations

from tokengeist.bench.synth.conversation import DEFAULT_MIX, SynthConversation, generate
from tokengeist.bench.synth.domains import DOMAINS
from tokengeist.bench.synth.storage import write

__all__ = ["DEFAULT_MIX", "DOMAINS", "SynthConversation", "generate", "write"]
