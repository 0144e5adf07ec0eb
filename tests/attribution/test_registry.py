"""Backends are found by name, lazily, wherever they come from."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, EntryPoints

import pytest

from tokengeist.attribution import registry
from tokengeist.attribution.lexical import LexicalAttributor
from tokengeist.errors import TokengeistError, UnknownNameError


def test_builtin_backends_load_without_a_look_at_installed_packages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(registry, "entry_points")
    assert isinstance(registry.create_attributor("lexical"), LexicalAttributor)


def test_an_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'lexical'"):
        registry.create_attributor("lexcal")


def test_outside_packages_register_through_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("mine", "tokengeist.attribution.lexical:create", registry.ENTRY_POINT_GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: EntryPoints([point]))
    assert isinstance(registry.create_attributor("mine"), LexicalAttributor)


def test_a_name_taken_twice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("lexical", "other:create", registry.ENTRY_POINT_GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: EntryPoints([point]))
    with pytest.raises(TokengeistError, match="two backends are called 'lexical'"):
        registry.backends()


def test_listing_imports_no_backend() -> None:
    before = set(sys.modules)
    registry.backends()
    assert not {name for name in set(sys.modules) - before if name.startswith("tokengeist")}
