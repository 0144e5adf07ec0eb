"""The scenes a conversation is made of. Each takes a `Play` and returns whether it took place."""

from __future__ import annotations
