"""Tokengeist: git blame for an agent's answers."""
