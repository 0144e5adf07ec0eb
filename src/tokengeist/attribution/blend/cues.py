"""Turns of phrase that say what a piece of English conversation does.

None of them belongs to a domain. A missed cue costs a little accuracy and nothing else: every one
is a feature with a weight, not a rule.
"""

from __future__ import annotations

import re


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _phrases(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE)


READING_VERBS = _listed(
    """get find search list read fetch lookup look query check view show retrieve describe count
    calculate compute think plan note reason load open inspect browse verify validate estimate
    convert parse summarize detect select scan locate identify"""
)
"""First words of the names of tools that change nothing."""
THINKING_VERBS = _listed("think plan note reason reflect scratchpad thought")

AGREEMENT = _phrases(
    r"""^\W*(yes|yeah|yep|yup|sure|ok|okay|confirm|confirmed|correct|right|absolutely|definitely
    |certainly|great|perfect|fine|sounds|please\ (?:do|go|proceed)|go\ ahead|proceed|do\ it
    |let'?s)\b"""
)
POLITE_OPENERS = _listed("sure ok okay right great perfect fine sounds let's lets")
GO_AHEAD = _phrases(
    r"""\b(go\ ahead|proceed|please\ do|confirm(?:ed)?|i\ agree|do\ (?:it|that)|that\ works
    |sounds\ good|looks\ (?:good|correct)|all\ correct|let'?s\ (?:do|go|proceed)|yes)\b"""
)
QUESTION = _phrases(
    r"""\b(would\ you\ like|do\ you\ want|shall\ i|should\ i|confirm|proceed|let\ me\ know\ if)\b
    |\?"""
)
RULE = _phrases(
    r"""\b(can(?:not|'?t|’t)?|could|must|may|only|unable|allow(?:s|ed)?|means|entitle[sd]?|offered
    |typically|rules?|eligible|require[ds]?|policy|not\ possible|need(?:s|ed)?\ to|have\ to|able
    |once|will\ be|either|within|unfortunately|sorry)\b"""
)
NEGATION = _phrases(
    r"""\b(no|not|none|cannot|unable|without|never|isn|aren|doesn|didn|error|fail(?:ed)?
    |unfortunately|sorry|unavailable)\b|n['’]t\b"""
)
PROHIBITION = _phrases(r"""\b(not|cannot|only|unable|never|must|no|nothing)\b|n['’]t\b""")
RELATIVE_TIME = _phrases(
    r"""\b(next|later|earlier|before|after|following|previous|tomorrow|yesterday|delay|days?|weeks?
    |month)\b"""
)
COMPARISON = _phrases(
    r"""\b((?!(?:request|interest|suggest|rest|west|test|guest)\b)\w{3,}est|most|least|larger
    |smaller|lower|higher|cheaper|faster|shorter|longer|bigger|earlier|later|more|less|fewer
    |max(?:imum)?|min(?:imum)?)\b"""
)
CHOICE = _phrases(
    r"""\b(cheapest|lowest|highest|most|least|best|latest|earliest|largest|smallest|expensive
    |max(?:imum)?|min(?:imum)?|same|other|another|different|any|all|everything|larger|smaller|lower
    |higher|more|less|fewer|instead|change|keep|without)\b"""
)
KEEPING = _phrases(r"""\b(same|original|unchanged|keep(?:ing)?|without\ changing)\b""")
"""Words for leaving something as it is."""
TOTALITY = _phrases(
    r"\b(all|none|every|each|both|neither|lowest|highest|cheapest|most|least|the\ other)\b"
)
CORRECTION = _phrases(
    r"""\b(actually|instead|sorry|rather|correction|i\ meant?|make\ (?:it|that)|change\ that
    |mistake|prefer|let'?s\ say)\b"""
)
COMPUTATION = _phrases(
    r"""\b(differ(?:s|ence)?|total|together|combined|altogether|sum|comes?\ to|comes?\ out|between
    |apart|each|remaining|left\ over)\b"""
)
INFORMATION = _phrases(
    r"""\b(what|which|when|where|who|whose|how\ (?:much|many|long|often|far|old)|tell\ me
    |may\ i\ (?:ask|know)|check)\b[^.!?]*\?"""
)
"""A question that asks to be told something, and so tells nothing itself."""
COMPLETION = _phrases(
    r"\b(has\ been|have\ been|had\ been|successfully|completed|is\ now|i've|i’ve|i\ have)\b"
)
FAILURE = _phrases(r"\W*(error|fail|exception|invalid|denied|not\ )")
LABEL = re.compile(r"\*\*[^*\n]{2,40}\*\*|^[A-Z][\w ]{1,30}: ")
"""A value under a heading, as in a list of details."""


def agreement(text: str) -> float:
    """How clearly a reply says yes: 1 outright, 0.7 in passing, 0 not at all."""
    opener = AGREEMENT.search(text)
    if opener and (opener[1].lower() not in POLITE_OPENERS or len(text.split()) <= 8):
        return 1.0
    return 0.7 if GO_AHEAD.search(text) else 0.0


def is_reading(tool: str) -> bool:
    """Whether a tool's name says that it only looks something up or works something out."""
    return first_word(tool) in READING_VERBS


def is_thinking(tool: str) -> bool:
    """Whether a tool is a place to write thoughts down: it acts on nothing."""
    return first_word(tool) in THINKING_VERBS


def first_word(tool: str) -> str:
    """`cancel` of `cancel_order`, `cancelOrder` or `Cancel-Order`."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+", tool)
    return words[0].lower() if words else ""
