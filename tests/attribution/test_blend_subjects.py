"""Which of several results prose speaks of: by the thing it names, and by when it was looked up."""

from __future__ import annotations

from tests.attribution.conversations import Script, explain, library, sources
from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.features import features
from tokengeist.attribution.blend.origins import understand
from tokengeist.attribution.blend.scene import Features
from tokengeist.transcript import locate_target

TICKET = {"fare": "saver", "cover": "none", "bought": "2031-03-02", "berths": ["12A"]}


def likelihoods(script: Script, text: str) -> dict[int, float]:
    turn = len(script.turns) - 1
    return {link.turn: link.score for link in explain(script, text, turn=turn).links}


def speaks_for(script: Script, text: str, turn: int) -> Features:
    """What speaks for a turn being a source of something in the last one."""
    transcript = script.transcript()
    book = Book(transcript)
    target = locate_target(transcript, text, turn=len(script.turns) - 1)
    return features(book, understand(book, target))[turn][1]


def harbour() -> Script:
    """0 user, 1–2 first booking, 3–4 second booking."""
    return (
        Script()
        .user("Can I give back BK-1107 and BK-2208?")
        .calls("get_booking", {"booking": "BK-1107", "line": "Fjord"} | TICKET, booking="BK-1107")
        .calls("get_booking", {"booking": "BK-2208", "line": "Coast"} | TICKET, booking="BK-2208")
    )


def test_what_is_said_after_an_id_is_about_that_thing() -> None:
    script = harbour().calls("get_weather", "Calm sea, 12 degrees.")
    found = likelihoods(script.says("BK-1107 is a saver fare."), "is a saver fare")
    assert found[2] > found[4]
    script.turns.pop()
    found = likelihoods(script.says("BK-2208 is a saver fare."), "is a saver fare")
    assert found[4] > found[2]


def test_what_was_looked_up_again_rests_on_the_second_look() -> None:
    script = (
        Script()
        .user("What is in parcel PX-4410?")
        .calls("get_parcel", {"parcel": "PX-4410", "lamp": 481.5, "rug": 685.48}, parcel="PX-4410")
        .says("A lamp and a rug.")
        .user("What did the lamp cost, and the two together?")
        .calls("get_parcel", {"parcel": "PX-4410", "lamp": 481.5, "rug": 685.48}, parcel="PX-4410")
        .says("The lamp cost $481.50, and the two together $1,166.98.")
    )
    assert sources(script, "$481.50") & {2, 6} == {6}
    assert sources(script, "$1,166.98") & {2, 6} == {6}


def test_of_equal_values_the_one_that_was_just_looked_up_is_meant() -> None:
    script = (
        Script()
        .user("Who am I?")
        .calls("get_member", {"card": "CR-7734", "name": "Ada Lind"}, member="M-20931")
        .says("You are Ada Lind.")
        .user("And how did I pay for order OR-5501?")
        .calls("get_order", {"order": "OR-5501", "paid": "CR-7734"}, order="OR-5501")
        .says("That was CR-7734.")
    )
    assert speaks_for(script, "CR-7734", 6)["values_best"] == 1.0
    assert speaks_for(script, "CR-7734", 2)["values_best"] == 0.0


def test_a_report_of_a_change_rests_on_the_change_and_not_on_the_look_up_before() -> None:
    script = library()
    script.turns.pop()
    script.says("LN-4471 has been renewed. LN-4471, due on March 9, has been renewed.")
    assert sources(script, "LN-4471 has been renewed") & {5, 9} == {9}
    assert speaks_for(script, "LN-4471 has been renewed", 5)["told_by_change"]
    assert not speaks_for(script, "LN-4471, due on March 9", 5)["told_by_change"]


def cancelled() -> Script:
    """5 user, 6–7 and 8–9 the two changes."""
    return (
        harbour()
        .user("Yes, both please.")
        .calls("cancel_booking", {"done": True, "berths": ["12A"]}, booking="BK-1107")
        .calls("cancel_booking", {"done": True, "berths": ["12A"]}, booking="BK-2208")
    )


def test_a_report_of_a_change_rests_on_that_of_the_thing_it_names() -> None:
    script = cancelled().says("BK-1107 has been cancelled. The other one, too.")
    found = likelihoods(script, "BK-1107 has been cancelled")
    assert found[7] > found.get(9, 0.0)


def test_a_report_of_all_changes_rests_on_all_of_them() -> None:
    script = cancelled().says("Both have been successfully cancelled.")
    assert {7, 9} <= sources(script, "have been successfully cancelled")


def test_all_are_not_meant_where_one_is_named() -> None:
    script = harbour().says("BK-1107 is on the Fjord line, with the lowest fare, saver.")
    assert sources(script, "BK-1107 is on the Fjord line, with the lowest fare") == {2}


def test_a_result_counts_less_where_another_tells_more() -> None:
    script = (
        Script()
        .user("Which lamp is in stock?")
        .calls("list_lamps", "Harbour lamp: brass, dimmable, in stock. Reef lamp: sold out.")
        .calls("list_shades", "Linen shade: fits any lamp.")
        .says("The brass Harbour lamp is dimmable and in stock.")
    )
    found = explain(script, "The brass Harbour lamp is dimmable and in stock")
    links = {link.turn: link.score for link in found.links}
    assert links[2] > 2 * links[4]


def test_what_the_assistant_has_told_since_speaks_against_a_result() -> None:
    script = (
        Script()
        .user("What is my status?")
        .calls("get_member", {"status": "gold", "name": "Ada Lind"}, member="M-20931")
        .says("You are a gold member, so you have free berths.")
        .user("And so?")
        .says("As a gold member you have free berths.")
    )
    assert speaks_for(script, "a gold member", 2)["retold_since"] > 0.5
    assert speaks_for(script, "As", 2)["retold_since"] == 0.0


def test_of_many_ids_the_first_says_what_a_call_is_about() -> None:
    script = harbour().calls(
        "swap_berths", TICKET, booking="BK-1107", old=["BT-12", "BT-13"], new=["BT-40", "BT-41"]
    )
    book = Book(script.transcript())
    assert book.is_about(6, "i:bk-1107")
    assert not book.is_about(6, "i:bt-40")


def test_what_is_called_an_id_is_one_whatever_it_looks_like() -> None:
    script = (
        Script()
        .user("Can I give my bookings back?")
        .calls("get_booking", TICKET, booking_id="PUNERT", paid="VALID")
        .calls("get_booking", TICKET, bookingId="KOLTAS", paid="VALID")
        .says("PUNERT is a saver fare.")
    )
    assert speaks_for(script, "is a saver fare", 2)["about_subject"]
    assert speaks_for(script, "is a saver fare", 4)["about_other"]
    book = Book(script.transcript())
    assert book.is_about(4, "w:kolta")
    assert not book.is_about(4, "w:valid")


def test_of_two_things_that_are_named_neither_is_elsewhere() -> None:
    script = harbour().says("BK-1107 and BK-2208 are saver fares.")
    for turn in (2, 4):
        assert not speaks_for(script, "BK-1107 and BK-2208 are saver fares", turn)[
            "subject_elsewhere"
        ]


def test_an_earlier_change_of_a_thing_says_nothing_of_how_it_is() -> None:
    script = (
        harbour()
        .calls("cancel_booking", {"booking": "BK-1107", "state": "cancelled"}, booking="BK-1107")
        .says("BK-1107 has been cancelled.")
        .user("What fare was it?")
        .says("BK-1107 was a saver fare.")
    )
    assert speaks_for(script, "was a saver fare", 2)["about_subject"]
    assert not speaks_for(script, "was a saver fare", 6)["about_subject"]
    script.turns = script.turns[:8]
    assert speaks_for(script, "has been cancelled", 6)["about_subject"]
    assert not speaks_for(script, "has been cancelled", 2)["about_subject"]


def test_so_many_things_are_those_that_are_listed() -> None:
    script = harbour().calls("get_booking", TICKET, booking="BK-3309")
    script.says("You have two saver fares:\n- BK-1107\n- BK-2208")
    found = {t: speaks_for(script, "You have two saver fares", t)["one_of_all"] for t in (2, 4, 6)}
    assert found == {2: 1.0, 4: 1.0, 6: 0.0}


def test_all_are_those_that_were_just_looked_up() -> None:
    script = harbour().says("Both are saver fares.").user("And BK-3309 and BK-4410?")
    script.calls("get_booking", TICKET, booking="BK-3309")
    script.calls("get_booking", TICKET, booking="BK-4410").says("All are saver fares.")
    assert not speaks_for(script, "All are saver fares", 2)["one_of_all"]
    assert speaks_for(script, "All are saver fares", 8)["one_of_all"]
