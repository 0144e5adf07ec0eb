"""What the blend backend notes as against a record or a rule, and what it must not."""

from __future__ import annotations

import pytest

from tests.attribution.conversations import Script, sources
from tests.attribution.test_blend_findings import notes

WRONG = "wrong-value transformation: "
RULE = [WRONG + "the rule says otherwise"]


def ship(question: str, **more: object) -> Script:
    """0 system, 1 user, 2–3 ship."""
    fields = {"ship": "SH-11", "crew_cabins": 14, "berths": 40, "built": "2009-04-02"}
    return (
        Script()
        .system("You answer questions about ships.")
        .user(question)
        .calls("get_ship", fields | {"refit": {"due": "2031-09-30"}} | more, ship="SH-11")
    )


@pytest.mark.parametrize(
    ("question", "reply", "noted"),
    [
        ("How many crew cabins does SH-11 have?", "It has 14.", []),
        ("How many crew cabins does SH-11 have?", "It has 41.", ["the record says 14"]),
        ("How many crew cabins does SH-11 have?", "That would be 40.", ["the record says 14"]),
        ("When was SH-11 built?", "On 2 May 2009.", ["the record says 2009-04-02"]),
        ("When is the refit of SH-11?", "On 20 September.", ["the record says 2031-09-30"]),
        ("How many of them would have cabins on SH-11?", "Some 28.", []),
    ],
)
def test_the_field_that_was_asked_for(question: str, reply: str, noted: list[str]) -> None:
    assert notes(ship(question).says(reply), reply) == [WRONG + note for note in noted]


SPEAKERS = {
    "4471002": {"item": "4471002", "options": {"battery life": "10 hours"}, "price": 80.5},
    "4471003": {"item": "4471003", "options": {"battery life": "20 hours"}, "price": 95.5},
}


def test_an_attribute_of_the_record_beside_is_wrong() -> None:
    script = Script().user("I'd like the second lamp.").calls("list_lamps", {"lamps": SPEAKERS})
    right = "That is item 4471003, with 20 hours battery life, priced at $95.50."
    wrong = "That is item 4471003, with 10 hours battery life, priced at $95.50."
    assert notes(script.says(right), right) == []
    script.turns.pop()
    assert notes(script.says(wrong), wrong) == [WRONG + "the record says 20 hours"]
    assert 2 in sources(script, "10 hours battery life")


def customs(reply: str, *, status: str = "held", asked: str = "Can I have more storage?") -> Script:
    """0 system, 1 user, 2–3 consignment, 4 reply."""
    return (
        Script()
        .system("Storage is not extended for goods that customs holds. Be polite.")
        .user(f"{asked} It is CN-204.")
        .calls("get_consignment", {"no": "CN-204", "customs": {"status": status}}, no="CN-204")
        .says(reply)
    )


@pytest.mark.parametrize(
    ("reply", "status", "noted"),
    [
        ("Customs is holding it, so storage can be extended.", "held", RULE),
        ("Customs is holding it, so storage cannot be extended.", "held", []),
        ("It has cleared customs, so storage cannot be extended.", "cleared", RULE),
        ("It has cleared customs, so storage can be extended.", "cleared", []),
        ("Storage can only be extended once customs lets it go.", "held", []),
        ("Customs is holding it, but we can cancel it.", "held", []),
    ],
)
def test_a_rule_whose_condition_the_record_decides(
    reply: str, status: str, noted: list[str]
) -> None:
    assert notes(customs(reply, status=status), reply) == noted


def test_a_refusal_may_have_another_reason() -> None:
    script = customs("No, storage cannot be extended.", status="cleared")
    rules = script.turns[0].content + " Storage cannot be extended on request of a driver."
    other = Script().system(rules)
    other.turns += script.turns[1:]
    assert notes(script, "storage cannot be extended") == RULE
    assert notes(other, "storage cannot be extended") == []


ORDERS = "An order can only be returned if its status is 'delivered', and you should check it."


def orders(status: str) -> Script:
    """0 system, 1 user, 2–3 order."""
    script = Script().system(ORDERS).user("I want to send back order OR-77120.")
    return script.calls("get_order", {"order": "OR-77120", "status": status}, order="OR-77120")


@pytest.mark.parametrize(("status", "noted"), [("pending", RULE), ("delivered", [])])
def test_a_call_that_the_state_of_its_record_forbids(status: str, noted: list[str]) -> None:
    script = orders(status).calls("return_order", {"ok": True}, order="OR-77120", reason="size")
    assert notes(script, "return_order", turn=4) == noted
    assert notes(script, "size", turn=4) == []  # the argument is what the user gave


@pytest.mark.parametrize(
    ("reply", "noted"),
    [
        ("Shall I proceed with returning order OR-77120?", RULE),
        ("You want to return order OR-77120.", []),
        ("I'm going to look after order OR-77120.", []),
    ],
)
def test_an_announcement_of_what_the_rule_forbids(reply: str, noted: list[str]) -> None:
    assert notes(orders("pending").says(reply), reply) == noted


RULES = """A lost card is replaced for $7.50 at any branch.
Loan bikes are lent for at most 6 days per job.
Visitors who come more than 20 minutes late lose their place."""


@pytest.mark.parametrize(
    ("question", "reply", "wrong"),
    [
        ("What do you charge for a lost card?", "A new card is $7.50.", False),
        ("What do you charge for a lost card?", "A new card is $15.", True),
        ("What do you charge for 2 lost cards?", "Two new cards are $15.", False),
        ("How long can I have a loan bike?", "Up to 11 days per job.", True),
        ("What if I am late?", "Beyond 25 minutes it is gone.", True),
        ("What if I am tired?", "You can rest for 25 minutes.", False),
    ],
)
def test_an_answer_without_a_look_up_has_the_figure_of_the_rule(
    question: str, reply: str, wrong: bool
) -> None:
    script = Script().system(RULES).user(question).says(reply)
    assert bool(notes(script, reply)) is wrong


def test_another_figure_between_the_same_words() -> None:
    text = "The new ferry has room for 120 cars and 399 people."
    script = Script().user("What do they say of the ferry?").calls("search", text)
    assert notes(script.says("It takes off with room for 120 cars."), "room for 120 cars") == []
    script.turns.pop()
    assert notes(script.says("It takes off with room for 130 cars."), "room for 130 cars") == [
        "wrong-value transformation"
    ]


def gym() -> Script:
    """0 user, 1–2 member, 3 reply, 4 user, 5–6 freeze, 7 reply, 8 user."""
    member = {"name": "Ada", "member_id": "ME-20931", "term_end": "2031-11-03", "visits_left": 4}
    return (
        Script()
        .user("My card is CA-44120.")
        .calls("get_member", member, card="CA-44120")
        .says("Hello Ada.")
        .user("Please freeze it for two months.")
        .calls("freeze", {"ok": True, "term_end": "2032-01-03"}, member_id="ME-20931", months=2)
        .says("Done.")
        .user("When can I quit?")
    )


def test_a_value_of_a_record_that_was_changed_by_its_id_is_stale() -> None:
    stale = ["stale context: turn 6 gives another value"]
    assert notes(gym().says("Your term ends on 3 November."), "3 November") == stale
    assert notes(gym().says("Your term ends on 3 January."), "3 January") == []


def test_what_was_passed_for_one_change_is_not_overtaken_by_another() -> None:
    script = gym()
    script.calls("set_fee", {"ok": True, "amount": 35.5}, member_id="ME-20931", amount=35.5)
    script.calls("refund", {"ok": True, "amount": 12.25}, member_id="ME-20931", amount=12.25)
    assert notes(script.says("Your fee is now $35.50."), "Your fee is now $35.50") == []


def test_a_small_number_of_a_record_that_was_changed_is_stale() -> None:
    rods = [{"rod": "RD-7718", "hires_left": 2}, {"rod": "RD-7720", "hires_left": 5}]
    script = Script().user("Which rods have I?").calls("list_rods", {"rods": rods})
    script.says("Two rods.").user("Hire out RD-7718, please.")
    lines = {"ok": True, "lines": [{"rod": "RD-7718", "hires_left": 1}]}
    script.calls("reserve_rod", lines, rod="RD-7718")
    assert notes(script.says("Done, two hires are left."), "two hires are left") == [
        "stale context: turn 6 gives another value"
    ]
    script.turns.pop()
    assert notes(script.says("Done, one hire is left."), "one hire is left") == []


def test_a_figure_that_the_change_itself_reports_otherwise() -> None:
    script = Script().user("What is it?").calls("calculate", "1522.0", sum="1400 + 122")
    script.says("$1,522.00.").user("Then move it to Friday.")
    script.calls("move_booking", {"id": "BV-3312", "fee": 35, "total": 1557.0}, id="BV-3312")
    assert notes(script.says("Moved. Total: $1,557.00."), "Total: $1,557.00") == []
    script.turns.pop()
    assert notes(script.says("Moved. Total: $1,522.00."), "Total: $1,522.00") == [
        WRONG + "the record says 1557.0"
    ]
    script.turns.pop()
    reply = "Moved. Your part of the total: $1,522.00."
    assert notes(script.says(reply), "Your part of the total: $1,522.00") == []


@pytest.mark.parametrize(
    ("weight", "reply", "noted"),
    [
        ("8 kg", "Yes, she is welcome in a garden room.", []),
        ("12 kg", "Yes, she is welcome in a garden room.", [WRONG + "12 is beyond 10"]),
        ("12 kg", "She is too heavy for a garden room, I'm sorry.", []),
        ("12 kg", "A smaller one would be welcome, but only in a garden room.", []),
        ("12 hours", "Yes, she is welcome in a garden room.", []),
    ],
)
def test_what_is_beyond_a_limit_is_not_granted(weight: str, reply: str, noted: list[str]) -> None:
    script = Script().system("Pets of up to 10 kg may stay in garden rooms. Be polite.")
    script.user(f"Could I bring my dog? She has {weight}.").says(reply)
    assert notes(script, reply) == noted


@pytest.mark.parametrize(("mark", "wrong"), [("3.42", True), ("3.62", False)])
def test_a_figure_on_the_other_side_of_what_is_required(mark: str, wrong: bool) -> None:
    script = Script().system("More credits require a grade of 3.50 or higher.")
    script.user("Can I take more?").calls("get_student", {"grade": float(mark)})
    reply = f"Your grade of {mark} is above the required level."
    assert bool(notes(script.says(reply), reply)) is wrong


@pytest.mark.parametrize(("digits", "wrong"), [("4164", False), ("5364", True)])
def test_the_end_of_a_number_is_not_its_beginning(digits: str, wrong: bool) -> None:
    script = Script().user("How can I pay?").calls("get_methods", {"methods": ["card_5364164"]})
    reply = f"By the card ending in {digits}."
    assert bool(notes(script.says(reply), reply)) is wrong


@pytest.mark.parametrize(
    ("result", "wrong"), [("4/6 pumps started", True), ("6/6 pumps started", False)]
)
def test_all_of_them_is_not_some_of_them(result: str, wrong: bool) -> None:
    script = Script().user("Start the pumps.").calls("start_pumps", result)
    reply = "All six pumps are running now."
    assert bool(notes(script.says(reply), reply)) is wrong


SAILS = [{"sail": "SL-11", "price": 310.5}, {"sail": "SL-12", "price": 290.5}]


@pytest.mark.parametrize(
    ("wish", "wrong"), [("Then order the cheapest.", True), ("Then order the first.", False)]
)
def test_what_is_chosen_is_the_cheapest_if_that_was_asked_for(wish: str, wrong: bool) -> None:
    script = Script().user("Which sails are there?").calls("list_sails", SAILS)
    script.says("There are two sails.").user(wish)
    reply = "To confirm, you want to order SL-11 at $310.50."
    assert bool(notes(script.says(reply), reply)) is wrong
