"""Explain every part of a target once: typed pieces, their origins, and a small fitted model."""
