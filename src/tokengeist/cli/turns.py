"""`tokengeist turns`: what a transcript holds, by index."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tokengeist.cli.options import Conversation, File, Format
from tokengeist.cli.output import print_json
from tokengeist.errors import SeveralConversationsError
from tokengeist.export.terminal import excerpt, printable
from tokengeist.formats import load


def turns(
    file: File,
    conversation: Conversation = None,
    format: Format = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, with the whole text.")] = False,
) -> None:
    """List a transcript's turns with their indices; of a file with several, the conversations."""
    try:
        transcript = load(file, format=format, conversation=conversation)
    except SeveralConversationsError as several:
        if as_json:
            print_json(several.ids)
        else:
            typer.echo("\n".join(map(printable, several.ids)))
        return
    if as_json:
        print_json(
            {
                "id": transcript.id,
                "turns": [
                    {
                        "turn": turn.index,
                        "role": turn.role.value,
                        "name": turn.name,
                        "text": turn.text,
                        "answers": site.turn if (site := sites.get(turn.index)) else None,
                    }
                    for sites in [transcript.call_sites]
                    for turn in transcript.turns
                ],
            }
        )
        return
    console = Console(highlight=False)
    table = Table("turn", "role", "answers", "text", box=None, pad_edge=False)
    for turn in transcript.turns:
        site = transcript.call_sites.get(turn.index)
        table.add_row(
            str(turn.index),
            Text(f"{turn.role} {printable(turn.name)}" if turn.name else str(turn.role)),
            str(site.turn) if site else "",
            Text(excerpt(turn.text, max(40, console.width - 40)) or "(no text)"),
        )
    console.print(table)
