"""How a conversation, or the business of another person in it, begins."""

from __future__ import annotations

from tokengeist.bench.synth.document import Document
from tokengeist.bench.synth.ledger import Call, Said
from tokengeist.bench.synth.play import Account, CaseFile, Play
from tokengeist.bench.synth.value import Value, derive
from tokengeist.bench.synth.world import World

_HELLO = "[[Hi|Hello|Hey][| there]|Good morning|Good afternoon|Good day][.|!]"
_TOPIC = (
    " [I have a few questions.|I've got a question or two.|I need some help, please.|Can you help "
    "me with something?|There are some things I'd like to sort out.]"
)
_HANDOVER = (
    "[Thanks, I'll hand you over now.|Somebody next to me wants to ask something too.|Let me pass "
    "you on.|That's all from me, but don't hang up.] [Hi, {name} here.|Hello, this is "
    "{name}.|Hello, my name is {name}.]"
)
_ASK_WHO = (
    "[Of course|Gladly|Sure|Happy to help|Certainly][.|!] [Could|Can|Would] you [give|tell] me "
    "your [number|{key}] or [the e-mail address on file|your e-mail address]?"
)
_BY_NUMBER = "<number:[my|the] [number|{key}] is {number}>"
_BY_ADDRESS = "<email:[my|the] [e-mail|address on file|e-mail address] is {email}>"
_WELCOME = (
    "[Thank you|Thanks][, {first}|]. [I have your file open|I can see your record|Found you]. "
    "[What would you like to know|How can I help|What can I do for you]?"
)
_LISTING = (
    "[Thank you|Thanks][, {first}|]. [I see|There are|I have] <listing:{count} {plural} on file: "
    "{labels}>. [What would you like to know|Which one is it about|How can I help]?"
)


def new_account(world: World, *, at_least: int = 1) -> Account:
    """Invent a person. Some have a single case, so that nothing needs choosing."""
    person = world.new_person(max(at_least, world.rng.choice((1, 2, 3, 3, 4))))
    return Account(person, [CaseFile(identity, label) for identity, label in person.cases])


def begin(play: Play, *, first: bool) -> None:
    """Bring a person into the conversation, by number, by address or by a case's number."""
    play.begun = False
    way = play.rng.choice(("number", "email", "email", "case"))
    hello = (_HELLO if first else _HANDOVER) + _TOPIC
    if way == "case":
        _say(play, hello)
        play.ledger.assistant("[Of course|Sure|Gladly]. [What is it about|How can I help]?")
        return
    number = play.account.person.id
    given = _misread(play) if way == "number" and play.chance(0.15) else number
    identity = (_BY_NUMBER if way == "number" else _BY_ADDRESS) + "."
    if play.chance(0.5):
        _say(play, hello)
        play.ledger.assistant(_ASK_WHO, key=play.plain(_spoken(play.domain.person.key)))
        said = _say(play, "[Sure, |Yes, |^]" + identity, number=given)
    else:
        said = _say(play, hello + " ^" + identity, number=given)
    if way == "email":
        address = derive(play.account.person.email, said.read("email"))
        (found,) = play.act([Call(play.domain.find_tool, {"email": address})])
        _pick_match(play, found)
    else:
        if given != number:
            said = _correct_number(play, derive(given, said.read("number")))
        play.account.number = derive(number, said.read("number"))
    play.open_profile()
    _welcome(play)


def _say(play: Play, template: str, *, number: str = "") -> Said:
    """Something the person says of themselves."""
    person = play.account.person
    return play.ledger.user(
        template,
        number=play.plain(number),
        email=play.plain(person.email),
        key=play.plain(_spoken(play.domain.person.key)),
        name=play.plain(person.name),
    )


def _misread(play: Play) -> str:
    """The person's number with one digit wrong, which belongs to nobody."""
    number = play.account.person.id
    places = [place for place, sign in enumerate(number) if sign.isdigit()]
    while (play.domain.person.tool, number) in play.world.records:
        place = play.rng.choice(places)
        number = number[:place] + str(play.rng.randrange(10)) + number[place + 1 :]
    return number


def _correct_number(play: Play, given: Value[str]) -> Said:
    """The number given is not on file, and the user gives the right one."""
    person = play.domain.person
    play.act([Call(person.tool, {person.key: given})])
    play.ledger.assistant(
        "[I can't find that number|There is no record under that number|That number is not on "
        "file]. [Could you check it|Would you check it again], please?"
    )
    return play.ledger.user(
        "[Sorry|Oh, my mistake|Ah], <number:[it's|I meant|it should be|the right one is] "
        "{number}>.",
        number=play.plain(play.account.person.id),
    )


def _pick_match(play: Play, found: Document) -> None:
    """Take the number of the match whose address is the one given."""
    for place in range(found.count("matches")):
        if found.read("matches", place, "email").data == play.account.person.email:
            number = found.read("matches", place, play.domain.person.key)
            play.account.number = derive(str(number.data), number)


def _welcome(play: Play) -> None:
    profile = play.open_profile()
    first = play.plain(play.account.person.name.split()[0])
    if len(play.account.cases) == 1 or play.chance(0.5):
        play.ledger.assistant(_WELCOME, first=first)
        return
    entries = profile.read(play.domain.list_key)
    labels = "; ".join(case.label for case in play.account.cases)
    play.ledger.assistant(
        _LISTING.replace("{plural}", play.domain.list_key),
        first=first,
        count=play.show_count(derive(len(play.account.cases), entries)),
        labels=play.show_text(derive(labels, entries)),
    )


def _spoken(key: str) -> str:
    return key.replace("_", " ").replace(" id", " number").replace(" no", " number")
