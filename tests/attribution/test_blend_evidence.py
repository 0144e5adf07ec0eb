"""Which stretch of a source the blend backend quotes: no more and no less than a person would."""

from __future__ import annotations

import pytest

from tests.attribution.conversations import Script, quoted
from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.evidence import evidence
from tokengeist.attribution.blend.origins import understand
from tokengeist.transcript import locate_target

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
    ("reply", "stretch"),
    [
        ("I can launch the boat BT-2207 for you.", '"status": "laid up"'),
        ("You pay with a visa ending in 4410.", '"brand": "visa", "last_four": "4410"'),
        ("We hold three papers of it.", '"papers": ["P-601", "P-602", "P-603"]'),
    ],
)
def test_a_statement_rests_on_news_and_not_on_what_was_looked_up_by(
    reply: str, stretch: str
) -> None:
    assert quoted(boat(reply), reply, 2) == [stretch]


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


ROPES = [
    {"item": "4471002", "title": "Mooring line", "stock": 4, "price": 61.5},
    {"item": "4471003", "title": "Halyard", "stock": 7, "price": 88.25},
]


def test_one_of_several_values_is_quoted_from_where_its_record_begins() -> None:
    reply = "That one is 88.25 apiece."
    script = Script().user("Any other ropes?").calls("list_ropes", {"ropes": ROPES}).says(reply)
    assert quoted(script, reply, 2) == [
        '"item": "4471003", "title": "Halyard", "stock": 7, "price": 88.25'
    ]


def test_an_id_picked_out_of_several_is_quoted_with_what_it_is_called() -> None:
    script = Script().user("Any ropes for hoisting?").calls("list_ropes", {"ropes": ROPES})
    script.calls("get_rope", "ok", item="4471003")
    assert quoted(script, "4471003", 2) == ['"item": "4471003", "title": "Halyard"']
    alone = Script().user("Which rope is it?").calls("get_rope", ROPES[1], boat="BT-2207")
    alone.calls("reserve_rope", "ok", item="4471003")
    assert quoted(alone, "4471003", 2) == ['"item": "4471003"']


def test_what_stands_around_a_target_finds_the_rule() -> None:
    rule = "Saved hours are given back as a day off at Easter"
    script = Script().system(f"Boats are washed on Mondays. {rule}. Be polite to everybody.")
    script.user("How many?").says("With your saved hours as days off that is rather a lot.")
    assert quoted(script, "rather a lot", 0) == [rule]


def test_what_stands_around_a_target_finds_the_sentence_of_an_earlier_turn() -> None:
    script = (
        Script()
        .user("What do I owe?")
        .says(
            "The long shed is dry and has been swept and painted. The crane is 140. See you soon."
        )
    )
    script.user("And all of it?").says("The crane is due in May, so it is rather dear.")
    book = Book(script.transcript())
    need = understand(book, locate_target(book.transcript, "rather dear"))
    assert [s.of(book.pages[1].text) for s in evidence(book, need, book.pages[1])] == [
        "The crane is 140"
    ]


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
