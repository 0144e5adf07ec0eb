"""What was made of a user's turn, and what that says of prose after it."""

from __future__ import annotations

from tests.attribution.conversations import Script
from tests.attribution.test_blend_prose import features_of


def garage() -> Script:
    """A wish, the number that was asked for, and what was found by it."""
    return (
        Script()
        .user("I want new tyres on my van. It must be done by noon. Is that possible?")
        .says("What is the number of your van?")
        .user("It is VN-4471.")
        .calls("get_van", {"van": "VN-4471", "size": "R16", "slots": ["08:10"]}, van="VN-4471")
    )


def test_who_gave_the_id_that_was_looked_up_is_known() -> None:
    script = garage().says("I would take the early one.")
    assert features_of(script, "the early one", 2)["gave_id"]
    assert not features_of(script, "the early one", 0)["gave_id"]


def test_who_gave_an_id_and_a_figure_that_counts_has_given_more_than_the_id() -> None:
    script = (
        Script()
        .user("What would 7 hours cost at rate LR62?")
        .calls("get_rate", {"rate": "LR62", "per_hour": 61.5}, rate="LR62")
        .says("You would pay $430.50, at the lowest rate.")
    )
    assert not features_of(script, "You would pay $430.50", 0)["gave_id"]
    assert features_of(script, "the lowest rate", 0)["gave_id"]


def test_to_give_an_id_does_not_put_the_wish_before_it_further_back() -> None:
    script = garage().says("I would take the early one.")
    assert features_of(script, "the early one", 0)["turns_back"] == 0
    script.user("And the price?").says("That is not known yet.")
    assert features_of(script, "not known yet", 0)["turns_back"] > 0


def test_what_was_written_for_others_reaches_back() -> None:
    script = garage().says("Shall I pass it on?").user("Do that.")
    summary = "They wish for new tyres on the van and would like them to be fitted before noon."
    script.calls("hand_over", "ok", summary=summary)
    assert features_of(script, "fitted before noon", 0)["handed_on"] > 0
    assert features_of(garage().says("All noted."), "noted", 0)["handed_on"] == 0


def test_what_was_done_upon_a_turn_is_told_from_what_was_only_said() -> None:
    script = garage().says("I would take the early one.")
    assert features_of(script, "the early one", 2)["acted_on"]
    assert not features_of(script, "the early one", 0)["acted_on"]


def test_what_was_asked_or_passed_to_a_call_was_not_told_beside() -> None:
    told, asked, passed = (
        Script()
        .user(text)
        .calls("get_van", {"size": "R16"}, van="VN-4471")
        .says("I would take the early one.")
        for text in ("We leave at noon.", "Do we leave at noon?", "VN-4471.")
    )
    assert features_of(told, "the early one", 0)["tells_much"] > 0
    assert features_of(told, "the early one", 0)["tells_unexplained"] > 0
    for script in (asked, passed):
        assert features_of(script, "the early one", 0)["tells_much"] == 0
        assert features_of(script, "the early one", 0)["tells_unexplained"] == 0


def test_what_one_user_turn_alone_says_counts_more_than_what_another_repeats() -> None:
    script = Script().user("A red van.").says("Which one?").user("The van with a ladder.")
    script.says("I see a van with a ladder.")
    assert features_of(script, "a van with a ladder", 2)["said_alone"] > 0
    assert features_of(script, "a van with a ladder", 0)["said_alone"] == 0


def test_what_a_turn_asks_for_is_told_from_what_it_tells_beside() -> None:
    script = Script().user("The van needs winter tyres. What does the storage cost?")
    script.says("Storage for winter tyres costs nothing.")
    assert features_of(script, "Storage", 0)["asks_information"] > 0.9
    assert features_of(script, "winter tyres", 0)["asks_information"] == 0
