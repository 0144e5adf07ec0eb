"""Which stretch of a source the blend backend quotes: no more and no less than a person would."""

from __future__ import annotations

import pytest

from tests.attribution.conversations import Script, quoted

BOAT = {
    "boat_id": "BT-2207",
    "owner_id": "olga_berg_3381",
    "berth": "C-14",
    "remarks": "The mast was taken down in autumn, and stands with the others in the long shed.",
    "keeper": "Jon of the south quay",
    "status": "laid up",
    "papers": ["P-601", "P-602", "P-603"],
    "payments": {"card_771": {"source": "card", "brand": "visa", "last_four": "4410"}},
}


def boat(reply: str) -> Script:
    """0 user, 1–2 boat, 3 reply."""
    script = Script().user("What about my boat BT-2207?")
    return script.calls("get_boat", BOAT, boat_id="BT-2207").says(reply)


@pytest.mark.parametrize(
    ("reply", "evidence"),
    [
        ("I can launch the boat BT-2207 for you.", '"status": "laid up"'),
        ("You pay with a visa ending in 4410.", '"brand": "visa", "last_four": "4410"'),
        ("We hold three papers of it.", '"papers": ["P-601", "P-602", "P-603"]'),
    ],
)
def test_a_statement_rests_on_news_and_not_on_what_was_looked_up_by(
    reply: str, evidence: str
) -> None:
    assert quoted(boat(reply), reply, 2) == [evidence]


def test_a_thought_is_a_statement_though_it_stands_in_a_call() -> None:
    thought = "The boat BT-2207 is laid up, which means that it can be launched at any time."
    script = Script().user("What about my boat BT-2207?")
    script.calls("get_boat", BOAT, boat_id="BT-2207").calls("think", "", thought=thought)
    assert quoted(script, thought, 2) == ['"status": "laid up"']


def test_a_change_is_told_by_what_it_brought() -> None:
    script = boat("It is laid up. Shall I launch it?").user("Yes, please launch it.")
    launched = BOAT | {"levies": [{"sort": "debit", "sum": 81.25}]}
    script.calls("update_boat", launched, boat_id="BT-2207").says("The boat fee has been settled.")
    assert quoted(script, "The boat fee has been settled", 6) == ['"sort": "debit", "sum": 81.25']


def test_what_is_told_of_a_record_is_quoted_with_the_records_in_it() -> None:
    ropes = [
        {"item": "4471002", "make": {"colour": "red", "length": "9 m"}, "stock": 4},
        {"item": "4471003", "make": {"colour": "blue", "length": "20 m"}, "stock": 7},
    ]
    reply = "That would be the blue one, item 4471003."
    script = Script().user("Any other ropes?").calls("list_ropes", {"ropes": ropes}).says(reply)
    assert quoted(script, reply, 2) == ['"item": "4471003", "make": {"colour": "blue"']


def test_small_words_in_a_row_find_the_rule() -> None:
    script = Script().system(
        "Each berth has a depth and a price. A berth is let by the week. "
        "Ask first who they are, and for the berth id. Berths are dredged in spring."
    )
    script.user("I want to leave.").says("Tell me first who they are and for the berth.")
    assert quoted(script, "who they are and for the berth", 0) == [
        "Ask first who they are, and for the berth id"
    ]


def test_the_condition_of_a_rule_stays_with_it() -> None:
    rule = "A deposit is paid back at once if it was cash, otherwise in 5 to 7 working days"
    script = Script().system(f"Be polite. {rule}. Boats are washed on Mondays.")
    script.user("And my deposit?").says("You get the deposit back in 5 to 7 working days.")
    assert quoted(script, "the deposit back in 5 to 7 working days", 0) == [rule]


@pytest.mark.parametrize(
    ("said", "evidence"),
    [
        ("The order is GV-77120, we came by boat last night.", "The order is GV-77120"),
        ("I would rather not say, but I am in Aarhus, GV-77120.", "I am in Aarhus, GV-77120"),
    ],
)
def test_a_clause_is_quoted_without_its_neighbours(said: str, evidence: str) -> None:
    script = Script().user(said).calls("get_order", {}, order="GV-77120")
    assert quoted(script, '"GV-77120"', 0) == [evidence]
