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
    convert parse summarize detect select scan locate identify compare analyze measure lint test
    explain preview monitor track ask"""
)
"""First words of the names of tools that change nothing."""
READING_NOUNS = _listed(
    """search lookup query info information details status list history weather forecast calculator
    retriever retrieval finder reader viewer inspector report catalog catalogue quote balance
    availability options rates prices policy profile records statement summary log logs"""
)
"""Last words of such names: `web_search`, `order-status`."""
_SHOWN = _listed("file url page site website link tab document doc path image notebook")
"""What opening only shows. Opening a claim makes one."""
CHANGING_VERBS = _listed(
    """accept activate add adjust allocate amend annul append apply approve archive assign
    attach authorize block book buy cancel change charge claim clear close collect commit
    compensate complete confirm connect copy correct create credit deactivate debit decline
    delete deliver deploy detach disable dismiss dispatch dispense dispute do donate
    download draft drop edit enable enroll erase escalate exchange execute expedite export
    extend file finish fix flag forward freeze give grant hand hold import initiate insert
    install invite invoice issue join kill launch leave link lock log make mark merge
    message modify move mute notify open order overwrite patch pause pay place post print
    process provision publish purchase push put raise reassign rebill rebook reboot recall
    record redeem redirect reduce refund register reimburse reinstate reissue reject release
    relocate remind remove rename renew rent reopen reorder repeat replace reply report
    request reroute rerun reschedule resend reserve reset resize resolve restart restore
    resubmit resume retry return reverse revert revise revoke rollback rotate save scale
    schedule send set share shift ship sign silence skip snooze split start stop store
    submit subscribe suspend swap switch sync tag terminate toggle transfer trigger turn
    unblock undo unfreeze unlink unlock unsubscribe update upgrade upload upsert use void
    waive wipe withdraw write click fill go navigate press tap"""
)
"""First or last words of the names of tools that change something; other names say what is looked
up: `usage_report`, `team_absences`."""
_ALSO_NOUNS = _listed(
    """book charge claim close copy credit debit dispute draft file fix flag hold invoice
    issue leave link log mark message order patch place post print process push raise recall
    record report request return schedule share shift ship sign split start stop store tag
    transfer use void"""
)
"""Those of them that name things as often: what `client_record` does is not recording."""
_ACTS = CHANGING_VERBS - _ALSO_NOUNS
_ACTS_LAST = _ACTS | _listed("book message order post print return ship sign start stop transfer")
"""Those that say what is done where a name ends with them: `table_book`."""
_ASKING = _listed(
    "get find search list fetch lookup check query show view count calculate estimate preview"
)
"""Whatever follows them, nothing is changed."""
_NAMESPACE = re.compile(r"^.*(?:__|[.:/])(?=\w)")
"""`mcp__weather__` of `mcp__weather__get_weather`, `accounts.` of `accounts.list`."""
SHELLS = _listed(
    "bash shell sh terminal exec execute run command cmd console powershell sql editor"
)
"""Words in the names of tools that are told what to do by a command."""
READING_COMMANDS = _phrases(
    r"""(?:(?:sudo|time|timeout\ \d+)\ )*(?:ls|cat|head|tail|grep|rg|ag|find|fd|pwd|which|wc|stat
    |file|tree|du|df|ps|env|printenv|echo|date|whoami|less|more|diff|ping|nl|jq|awk|sort|uniq|cut
    |kubectl\ (?:get|describe|logs|top|explain)|docker\ (?:ps|logs|images|inspect|stats)
    |systemctl\ status|journalctl|view|open|sed\ -n
    |git\ (?:status|log|diff|show|blame|grep|branch)|pip\ (?:show|list|freeze)
    |pytest|(?:python3?|node)\ (?:-m\ pytest|-c|--version)|select|explain|describe|show)\b"""
)
"""Commands that only show something."""
_WRITING_METHOD = _phrases(r"\bmethod\W+(?:post|put|patch|delete)\b")
"""A request that is to change what it is sent to."""
_COMMAND = re.compile(r"\W*(?:cmd|command)\W")
"""The arguments of a tool that is told what to do by a command, whatever its name."""
_PREPARING = re.compile(r"(?:cd|export|source|set|conda|\.)\b")
_BEFORE_COMMAND = re.compile(r"\W*(?:\w+[\"']?\s*:\W*)?")
_BETWEEN_COMMANDS = re.compile(r"&&|\|\||[;|\n]|\\n")
_WRITING = re.compile(r"(?<![2&])>(?!\s*(?:&|/dev/null))|\btee\b")
_QUERY = _phrases(r"(?:select|with|explain|describe|show)\b[^;]*;?\W*")
"""One query in SQL, over however many lines; `>` compares there."""
THINKING_WORDS = _listed(
    "think thinking thought plan note notes reason reasoning reflect scratchpad sequential aloud"
)

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
    r"""\b(can(?:not|'?t|’t)?|could|must|may(?!\ \d)|only|unable|allow(?:s|ed)?|means|entitle[sd]?
    |offered|typically|rules?|eligible|require[ds]?|policy|not\ possible|needs?|have\ to|able
    |limit(?:s|ed)?|approv(?:al|es?)|permit(?:s|ted)?|forbidden|unless|at\ (?:most|least)|fine|once
    |either|within|unfortunately|sorry)\b"""
)
PERMISSION = _phrases(r"\b(can(?:not|'?t|’t)?|may(?!\ \d)|must|only|allowed)\b")
"""Words for what is allowed."""
CASE = _phrases(
    r"""\b(is|are|was|were|am|did|has|have|had|needs?|already|still|since|because|means)\b
    |['’](?:s|re|m|ve)\b"""
)
"""Words for how things are: a statement with one of them speaks of a case, not of a rule alone."""
CONCLUSION = _phrases(r"\b((?<!if\ )so|therefore|thus|hence|which\ means)\b")
"""What follows from a rule, or from putting facts together."""
REFERENCE = _phrases(r"""\W*(?:that|this|these|those|it|they)(?:['’](?:s|d)|\ \w+)""")
"""The beginning of a sentence that goes on about what was said before it."""
NEGATION = _phrases(
    r"""\b(no|not|none|cannot|unable|without|never|isn|aren|doesn|didn|error|fail(?:ed)?
    |unfortunately|sorry|unavailable)\b|n['’]t\b"""
)
PROHIBITION = _phrases(r"""\b(not|cannot|only|unable|never|must|no|nothing)\b|n['’]t\b""")
RELATIVE_TIME = _phrases(
    r"""\b(next|later|earlier|before|after|following|previous|tomorrow|yesterday|delay|days?|weeks?
    |month)\b"""
)
NOW = _phrases(
    r"""\b(today|tonight|tomorrow|yesterday|ago|from\ now|last\ night|in\ \w+\ (?:days?|weeks?)
    |(?:this|next|last)\ (?:morning|afternoon|evening|week|month|quarter|year|\w+day))\b"""
)
"""Times that are counted from the time of speaking."""
TODAY = _phrases(
    r"""\b(today|now|current|date)\b[^.\n]{0,30}$
    |\bit(?:['’]s|\ is)\ (?:(?:the|\w+day),?\ ){0,2}$"""
)
"""What stands before the date of speaking where it is given."""
COMPARISON = _phrases(
    r"""\b((?!(?:request|interest|suggest|rest|west|test|guest)\b)\w{3,}est|most|least|larger
    |smaller|lower|higher|cheaper|faster|shorter|longer|bigger|earlier|later|sooner|more|less|fewer
    |comes?\ (?:first|last)|max(?:imum)?|min(?:imum)?)\b"""
)
CHOICE = _phrases(
    r"""\b(cheapest|lowest|highest|most|least|best|latest|earliest|largest|smallest|expensive
    |max(?:imum)?|min(?:imum)?|same|other|another|different|any|all|everything|larger|smaller|lower
    |higher|more|less|fewer|instead|change|keep|without)\b"""
)
KEEPING = _phrases(r"""\b(same|original|unchanged|keep(?:ing)?|without\ changing)\b""")
"""Words for leaving something as it is."""
STEP = _phrases(
    r"""\b(more|add(?:ing|ed)?|extra|another|additional|plus|further|longer|less|fewer|shorter|minus
    |drop(?:ping)?)\b"""
)
"""Words for as much as before and something, or without something."""
TOTALITY = _phrases(
    r"\b(all|none|every|each|both|neither|lowest|highest|cheapest|most|least|the\ other)\b"
)
SEVERAL = _phrases(
    r"""\b(two|three|four|five|six|seven|eight|nine|ten|several|multiple|following)
    \ (?:\w+\ ){0,2}\w+s\b"""
)
"""So many things of a kind."""
CORRECTION = _phrases(
    r"""\b(actually|instead|sorry|rather|correction|i\ meant?|make\ (?:it|that)|change\ that
    |mistake|prefer|let'?s\ say)\b"""
)
SAME_ACTION = tuple(
    _listed(words)
    for words in (
        "modify change update edit alter adjust switch correct revise",
        "cancel remove delete drop void",
        "book reserve order buy purchase schedule",
        "exchange swap replace switch",
        "return refund reimburse",
        "send email mail forward notify post message reply text share publish submit deliver",
        "add include create open register set",
        "move reschedule postpone delay shift extend",
        "pay charge settle",
    )
)
"""Verbs by which people ask for, and tools are named after, much the same."""
NOT_KNOWN = _phrases(
    r"""\b(?:do\ not|cannot|(?:don|can|couldn|didn)['’]?t)\ (?:\w+\ ){0,2}
    (?:have|remember|recall|know|find)\b|\bnot\ sure\b|\bno\ idea\b|\bunsure\b|\bforgot(?:ten)?\b"""
)
"""Words for what a speaker cannot say."""
RANKING = _phrases(r"""\b(first|last|latest|newest|oldest|earliest|next|(?:most\ )?recent)\b""")
"""Words that pick one of several by its place among them."""
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
WISH = _phrases(
    r"""\byou(?:['’]d|['’]ve|\ would|\ have)?(?:\ also)?\ (?:like|want|mention|said|told|ask|request
    |prefer|wish)|\byour\ (?:request|concern)|\b(?:the|this)\ (?:user|customer|caller|client)\b"""
)
"""What stands where somebody's wishes and words are retold, to them or to others."""
LABEL = re.compile(r"\*\*[^*\n]{2,40}\*\*|^[A-Z][\w ]{1,30}: ")
"""A value under a heading, as in a list of details."""


def agreement(text: str) -> float:
    """How clearly a reply says yes: 1 outright, 0.7 in passing, 0 not at all."""
    opener = AGREEMENT.search(text)
    if opener and (opener[1].lower() not in POLITE_OPENERS or len(text.split()) <= 8):
        return 1.0
    return 0.7 if GO_AHEAD.search(text) else 0.0


def is_reading(tool: str, arguments: str = "") -> bool:
    """Whether a call only looks something up or works something out, by its name or command."""
    words = words_of(_NAMESPACE.sub("", tool))
    if not words:
        return False
    if words[0] == "open" and len(words) > 1:
        return words[-1] in _SHOWN or words[-1].endswith("s")
    if SHELLS & set(words) or _COMMAND.match(arguments):
        return words[0] in READING_VERBS or _only_shows(arguments)
    if _WRITING_METHOD.search(arguments) or (len(words) > 1 and _names_an_act(words)):
        return False
    if words[0] in READING_VERBS or words[-1] in READING_NOUNS | _ASKING:
        return True
    return words[0] not in CHANGING_VERBS


def _names_an_act(words: list[str]) -> bool:
    """Whether a name of several words says what is changed: `cancel_order`, `crm_add_line`."""
    if words[0] in _ASKING:
        return False
    if words[0] in _ACTS or words[-1] in _ACTS:
        return True
    if words[0] in READING_VERBS or words[1] in _ASKING or words[-1] in READING_NOUNS:
        return False
    return words[-1] in _ACTS_LAST or words[1] in _ACTS


def _only_shows(arguments: str) -> bool:
    """Whether every command in the arguments of a shell shows something and changes nothing."""
    command = arguments[_BEFORE_COMMAND.match(arguments).end() :]  # type: ignore[union-attr]
    if _QUERY.fullmatch(command):
        return True
    parts = [part.strip() for part in _BETWEEN_COMMANDS.split(command)]
    steps = [part for part in parts if part and not _PREPARING.match(part)]
    return all(READING_COMMANDS.match(step) and not _WRITING.search(step) for step in steps)


def is_thinking(tool: str) -> bool:
    """Whether a tool is a place to write thoughts down: it acts on nothing."""
    words = words_of(tool)
    return bool(words) and all(word in THINKING_WORDS for word in words)


def words_of(tool: str) -> list[str]:
    """`cancel` and `order` of `cancel_order`, `cancelOrder` or `Cancel-Order`."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", tool)]
