"""Tokengeist: git blame for an agent's answers.

>>> import tokengeist
>>> transcript = tokengeist.load(tokengeist.example_path("refund"))
>>> graph = tokengeist.trace(transcript, "full refund", turn=4, backend="lexical")
>>> pruned = tokengeist.prune(graph)
>>> [(edge.dependent, edge.source) for edge in pruned.edges]
[(4, 3), (3, 2), (2, 1), (1, 0)]

These are the public names; everything else may move. Importing this package imports no model code.
"""

from tokengeist.api import Settings, open_tracer, settings_for, trace
from tokengeist.attribution.protocol import (
    Attributor,
    AttributorSpec,
    ExplainingReading,
    Explanation,
    Link,
    Reading,
    Unit,
    Verdict,
)
from tokengeist.attribution.registry import BackendOptions, create_attributor
from tokengeist.attribution.scripted import ScriptedAttributor
from tokengeist.errors import TokengeistError, TokengeistWarning
from tokengeist.extraction import View, chains, prune
from tokengeist.formats import example_path, load, load_all
from tokengeist.graph import Edge, EdgeKind, Node, ProvenanceGraph, Stop
from tokengeist.segmentation import Granularity, Source, segment
from tokengeist.tracer import Recurse, Step, TraceOptions, Tracer
from tokengeist.transcript import Role, Span, Target, ToolCall, Transcript, Turn, locate_target

__all__ = [
    "Attributor",
    "AttributorSpec",
    "BackendOptions",
    "Edge",
    "EdgeKind",
    "ExplainingReading",
    "Explanation",
    "Granularity",
    "Link",
    "Node",
    "ProvenanceGraph",
    "Reading",
    "Recurse",
    "Role",
    "ScriptedAttributor",
    "Settings",
    "Source",
    "Span",
    "Step",
    "Stop",
    "Target",
    "TokengeistError",
    "TokengeistWarning",
    "ToolCall",
    "TraceOptions",
    "Tracer",
    "Transcript",
    "Turn",
    "Unit",
    "Verdict",
    "View",
    "chains",
    "create_attributor",
    "example_path",
    "load",
    "load_all",
    "locate_target",
    "open_tracer",
    "prune",
    "segment",
    "settings_for",
    "trace",
]
