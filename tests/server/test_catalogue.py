"""What can be opened, and what cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tokengeist.errors import TokengeistError, UnknownNameError
from tokengeist.server.catalogue import Catalogue


def scanned(*roots: Path, largest: int = 10_000_000) -> Catalogue:
    """A catalogue that has looked through everything."""
    catalogue = Catalogue(roots, largest=largest)
    catalogue.scan()
    return catalogue


def test_a_folder_is_listed_and_other_files_say_why_not(conversations: Path) -> None:
    """Two examples, and a reason for each file that is none."""
    catalogue = scanned(conversations)
    assert {entry.id for entry in catalogue.find()} == {"observatory", "refund"}
    assert {skipped.label for skipped in catalogue.skipped} == {
        "conversations/broken.json",
        "conversations/notes.json",
    }
    assert catalogue.is_whole


def test_search_looks_at_ids_files_and_first_words(conversations: Path) -> None:
    """Every word must be there."""
    catalogue = scanned(conversations)
    assert [entry.id for entry in catalogue.find("CLOUDY hello")] == ["observatory"]
    assert catalogue.find("cloudy refund") == ()


def test_a_conversation_is_read_when_it_is_asked_for(conversations: Path) -> None:
    """By key, and only by a key that was given out."""
    catalogue = scanned(conversations)
    (entry,) = catalogue.find("refund")
    assert len(catalogue.transcript(entry.key).turns) == 5
    for key in ("", "../../etc/passwd", entry.key[:-1]):
        with pytest.raises(UnknownNameError):
            catalogue.transcript(key)


def test_large_files_and_links_out_of_the_root_stay_shut(
    conversations: Path, tmp_path: Path
) -> None:
    """A size limit, and no way around the roots."""
    outside = tmp_path / "outside.json"
    outside.write_bytes((conversations / "refund.json").read_bytes())
    (conversations / "link.json").symlink_to(outside)
    catalogue = scanned(conversations, largest=3000)
    assert {entry.id for entry in catalogue.find()} == {"refund"}
    assert len(catalogue.find("link")) == 0
    assert any("MB" in skipped.reason for skipped in catalogue.skipped)


def test_a_root_that_is_not_there() -> None:
    """Said at once, not in an empty list."""
    with pytest.raises(TokengeistError, match="no file or folder"):
        Catalogue([Path("/nowhere/at/all")])


def test_hundreds_in_one_file(tmp_path: Path) -> None:
    """Each line is a conversation of its own."""
    lines = [
        json.dumps({"id": f"c{n}", "messages": [{"role": "user", "content": f"question {n}"}]})
        for n in range(300)
    ]
    (tmp_path / "many.jsonl").write_text("\n".join(lines))
    catalogue = scanned(tmp_path)
    assert len(catalogue.find()) == 300
    assert [entry.id for entry in catalogue.find("question 299")] == ["c299"]
