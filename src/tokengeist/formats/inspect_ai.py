"""Inspect AI logs, `.eval` archives and `.json` files: the messages of every sample.

A sample's id is `ID-EPOCH`. Long strings are stored once, as attachments, and put back where they
are referred to. Of the two forms the archive is read member by member, so that listing a log of a
thousand samples opens none. One message is one turn; what a tool on the provider's side did
inside an answer is told in that answer's text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING
from urllib.parse import unquote

from tokengeist.errors import FormatError
from tokengeist.formats import openai_chat
from tokengeist.formats.conversation import Conversation
from tokengeist.formats.document import Document, Place
from tokengeist.formats.fields import as_list, as_object, describe, optional_id, verbatim
from tokengeist.formats.packed import open_archive, within_limit
from tokengeist.transcript import Turn

if TYPE_CHECKING:
    import zipfile

_ZIP = b"PK\x03\x04"
_SAMPLE = re.compile(r"samples/(?P<id>.+)_epoch_(?P<epoch>\d+)\.json")
_ATTACHMENT = re.compile(r"attachment://([0-9a-f]{32})")


def recognises(document: Document) -> bool:
    """Whether the file is an archive with a log's members, or a log's JSON."""
    if document.data.startswith(_ZIP):
        with _archive(document) as archive:
            return bool({"header.json", "_journal/start.json"} & set(archive.namelist()))
    first = document.records[0].value
    return isinstance(first, dict) and {"eval", "samples"} <= first.keys()


def conversations(document: Document) -> Iterator[Conversation]:
    """Every sample of the log."""
    if document.data.startswith(_ZIP):
        yield from _members(document)
        return
    for record in document.records:
        log = as_object(record.value, record.place, "a log")
        if log.get("samples") is None:
            raise record.place.error(f"the log has no 'samples'; it is {describe(log)}")
        samples = as_list(log["samples"], record.place, "'samples'")
        for number, value in enumerate(samples):
            place = record.place.inside(f"sample {number}")
            yield _conversation(as_object(value, place, "a sample"), number, place)


def _conversation(sample: Mapping[str, object], number: int, place: Place) -> Conversation:
    id = optional_id(sample.get("id"), place, "'id'") or f"sample{number}"
    epoch = optional_id(sample.get("epoch"), place, "'epoch'") or "1"
    return Conversation(f"{id}-{epoch}", place, lambda: _turns(sample, place))


def _archive(document: Document) -> zipfile.ZipFile:
    try:
        return open_archive(document.data)
    except Exception as error:  # besides BadZipFile, whatever a broken directory provokes
        raise document.place.error(f"the archive is damaged: {error}") from None


def _members(document: Document) -> Iterator[Conversation]:
    with _archive(document) as archive:
        names = archive.namelist()
    for name in names:
        if match := _SAMPLE.fullmatch(name):
            id = f"{unquote(match['id'])}-{match['epoch']}"
            yield _member(document, name, id)


def _member(document: Document, name: str, id: str) -> Conversation:
    place = document.place.inside(name)

    def turns() -> tuple[Turn, ...]:
        record = Document(place.text, id, _extracted(document, name)).records[0]
        return _turns(as_object(record.value, place, "a sample"), place)

    return Conversation(id, place, turns)


def _extracted(document: Document, name: str) -> bytes:
    with _archive(document) as archive:
        try:
            with archive.open(name) as member:
                return within_limit(member, f"{document.origin}, {name}")
        except FormatError:
            raise
        except NotImplementedError:
            raise document.place.error(
                "the archive is compressed in a way that Python cannot read; convert it with: "
                "inspect log convert --to json --output-dir DIR FILE"
            ) from None
        except Exception as error:  # every decompressor has errors of its own
            raise document.place.inside(name).error(f"the archive is damaged: {error}") from None


def _turns(sample: Mapping[str, object], place: Place) -> tuple[Turn, ...]:
    messages = as_list(sample.get("messages"), place, "'messages'")
    attachments = as_object(sample.get("attachments") or {}, place, "'attachments'")
    return openai_chat.turns([_as_chat(_attached(m, attachments)) for m in messages], place)


def _attached(value: object, attachments: Mapping[str, object]) -> object:
    """The value with every attachment in its place; one that is missing stays a reference."""
    if isinstance(value, str):
        return _ATTACHMENT.sub(lambda match: str(attachments.get(match[1], match[0])), value)
    if isinstance(value, list):
        return [_attached(entry, attachments) for entry in value]
    if isinstance(value, dict):
        return {key: _attached(entry, attachments) for key, entry in value.items()}
    return value


def _as_chat(message: object) -> object:
    """The message in chat dress: Inspect puts a tool's name where chat puts an object."""
    if not isinstance(message, dict):
        return message
    found = dict(message)
    if found.get("role") == "tool":
        found["name"] = found.get("function")
    if isinstance(found.get("tool_calls"), list):
        found["tool_calls"] = [
            {**call, "name": call.get("function")} if isinstance(call, dict) else call
            for call in found["tool_calls"]
        ]
    if isinstance(found.get("content"), list):
        found["content"] = [_as_part(part) for part in found["content"]]
    return found


def _as_part(part: object) -> object:
    if not isinstance(part, dict) or part.get("type") != "tool_use":
        return part
    called = f"{part.get('name')}({verbatim(part.get('arguments', ''))})"
    told = [verbatim(part[key]) for key in ("result", "error") if part.get(key)]
    return "\n".join([called, *told])
