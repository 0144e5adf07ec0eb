"""The JSON schemas of the two answers, for servers that can enforce one.

They stay within what strict structured output allows: closed objects, every property required, no
free keys. That is why a graph travels as a list of nodes and not as the object from turn numbers to
nodes that a gold file holds.
"""

from __future__ import annotations

from typing import Any

from tokengeist.bench.gold import TAGS

Schema = dict[str, Any]


def _object(**properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


_TEXT: Schema = {"type": "string"}
_TURN: Schema = {"type": "integer"}

TARGETS = _object(targets=_list(_object(name=_TEXT, target_turn_idx=_TURN, target_text=_TEXT)))
GRAPH = _object(
    comment=_TEXT,
    dep_type_tags=_list({"type": "string", "enum": list(TAGS)}),
    nodes=_list(_object(turn=_TURN, depends_on=_list(_object(turn=_TURN, span=_TEXT)))),
    corrective_turns=_list(_TURN),
)
