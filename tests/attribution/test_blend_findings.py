"""What the blend backend notes as wrong, and what it must not."""

from __future__ import annotations

import pytest

from tests.attribution.conversations import Script, explain, library, sources

FEES = [{"for": "dredging", "amount": 12.5}, {"for": "crane", "amount": 30.25}]
FEES += [{"for": "mooring", "amount": 8.0}, {"for": "paint", "amount": 17.4}]


def notes(script: Script, text: str, *, turn: int | None = None) -> list[str]:
    found = explain(script, text, turn=turn).units
    kinds = ("wrong", "stale", "unsupported")
    return [unit.note for unit in found if unit.note.startswith(kinds)]


def yard() -> Script:
    """0 system, 1 user, 2–3 boat, 4 reply."""
    return (
        Script()
        .system("Today is 2031-05-01. A berth is not extended while the survey is overdue.")
        .user("My boat is BT-204. What do I owe?")
        .calls("get_boat", {"boat": "BT-204", "survey": "overdue", "fees": FEES}, boat="BT-204")
        .says("You owe four fees.")
    )


def test_a_message_that_no_call_sent_is_an_invention() -> None:
    script = yard().user("Could you mail me the list?").says("I've just sent it to you.")
    assert notes(script, "I've just sent it") == ["unsupported invention: no call did this"]
    assert 5 in sources(script, "I've just sent it")


def test_a_message_that_a_call_sent_is_none() -> None:
    script = yard().user("Could you mail me the list?")
    script.calls("send_email", {"ok": True}, to="ada@example.org").says("I've just sent it to you.")
    assert notes(script, "I've just sent it") == []


def test_a_deed_under_another_name_gets_the_benefit_of_the_doubt() -> None:
    script = library().user("Is it done?").says("Your loan has been extended.")
    assert notes(script, "Your loan has been renewed", turn=10) == []


def test_what_others_did_is_no_deed_of_the_agents() -> None:
    script = Script().user("Where is parcel PX-4410?")
    script.calls("get_parcel", {"history": ["sent on Monday"]}, parcel="PX-4410")
    script.says("It has been sent.")
    assert notes(script, "It has been sent") == []


def test_an_answer_about_what_no_source_mentions_is_an_invention() -> None:
    script = yard().user("Is there a sauna at the harbour?").says("Yes, the sauna has 4 benches.")
    assert notes(script, "Yes, the sauna has 4 benches") == [
        "unsupported invention: no source speaks of this"
    ]


def test_an_estimate_is_worked_out_and_no_invention() -> None:
    script = (
        yard().user("Is there a sauna at the harbour?").says("Yes, the sauna has about 4 benches.")
    )
    assert notes(script, "Yes, the sauna has about 4 benches") == []


@pytest.mark.parametrize("reply", ["I don't know of a sauna.", "Let me find out about the sauna."])
def test_an_answer_that_claims_nothing_is_no_invention(reply: str) -> None:
    assert notes(yard().user("Is there a sauna at the harbour?").says(reply), reply) == []


def test_a_total_without_one_of_its_terms_is_a_wrong_value() -> None:
    script = yard().user("And together?").says("In total that is $60.15.")
    assert notes(script, "In total that is $60.15") == [
        "wrong-value transformation: 8.0 is left out"
    ]


def test_a_total_without_what_the_user_took_out_is_right() -> None:
    script = yard().user("And without the mooring?").says("In total that is $60.15.")
    assert notes(script, "In total that is $60.15") == []


def test_what_follows_from_a_wrong_total_is_wrong_too() -> None:
    script = yard().user("And together?").says("In total that is $60.15.")
    script.user("Please pay it.").calls("pay_fees", {"ok": True}, boat="BT-204", amount=60.15)
    assert notes(script, "60.15", turn=8) == ["wrong-value transformation: turn 6 got it wrong"]


def test_a_value_less_what_the_user_named_is_right() -> None:
    script = (
        Script()
        .user("Please move 250 to my savings.")
        .calls("get_account", "Account: AC-1\nBalance: 1200\nOwner: Ada")
        .says("Your balance will be 950 then.")
    )
    assert notes(script, "Your balance will be 950") == []


def test_a_request_for_something_new_is_answered_freely() -> None:
    script = (
        yard().user("Could you write a verse about herons?").says("Grey herons stand, 12 in all.")
    )
    assert notes(script, "Grey herons stand") == []


def test_a_refusal_that_the_rule_does_not_call_for_is_wrong() -> None:
    script = yard().user("Can you extend my berth?")
    right, wrong = "No, the berth cannot be extended.", "Yes, the berth can be extended."
    assert notes(script.says(right), right) == []
    script.turns.pop()
    assert notes(script.says(wrong), wrong) == [
        "wrong-value transformation: the rule says otherwise"
    ]


def test_an_id_looked_up_for_a_day_that_was_changed_is_stale() -> None:
    script = (
        Script()
        .user("Could I move the survey of BT-204 to June 3?")
        .calls("check_day", {"slot": "SL-7731"}, boat="BT-204", day="2031-06-03")
        .says("June 3 is free. Shall I move it?")
        .user("Yes, but actually make it June 5.")
        .calls("move_survey", {"ok": True}, boat="BT-204", slot="SL-7731")
    )
    assert notes(script, "SL-7731", turn=5) == ["stale context: turn 4 gives another value"]


def test_days_counted_wrong_are_a_wrong_value() -> None:
    script = (
        Script()
        .system("Today is 2031-05-01.")
        .user("How many days are left on berth BT-204?")
        .calls("get_berth", {"berth": "BT-204", "until": "2031-05-21"}, berth="BT-204")
    )
    assert notes(script.says("You have 20 days."), "20 days") == []
    script.turns.pop()
    assert notes(script.says("You have 23 days."), "23 days") == [
        "wrong-value transformation: there are 20 days between the dates"
    ]


OFFERS = [
    {"sail": "S-11", "colour": "red", "price": 310.0, "available": True},
    {"sail": "S-12", "colour": "red", "price": 290.0, "available": True},
    {"sail": "S-13", "colour": "blue", "price": 205.0, "available": True},
    {"sail": "S-14", "colour": "red", "price": 180.0, "available": False},
]


def test_the_cheapest_must_be_the_cheapest_of_what_fits() -> None:
    script = Script().user("I need a red sail, the cheapest one.").calls("list_sails", OFFERS)
    right, wrong = "The cheapest red one is S-12 at $290.", "The cheapest red one is S-11 at $310."
    assert notes(script.says(right), right) == []
    script.turns.pop()
    assert notes(script.says(wrong), wrong) == ["wrong-value transformation: 290.0 is beyond it"]


def test_within_so_many_hours_is_counted() -> None:
    script = (
        Script()
        .system("The current time is 2031-05-15 15:00:00.")
        .user("Please cancel hire H-20.")
        .calls("get_hire", {"hire": "H-20", "created_at": "2031-05-14T08:00:00"}, hire="H-20")
    )
    assert notes(script.says("It was made within the last 48 hours."), "made within") == []
    script.turns.pop()
    text = "It was made within the last 24 hours."
    assert notes(script.says(text), text) == ["wrong-value transformation: 31 hours have passed"]


def test_a_change_reported_otherwise_than_its_result_says_is_wrong() -> None:
    script = (
        Script()
        .user("Please upgrade hire H-20 to premium.")
        .calls("get_hire", {"hire": "H-20", "tier": "standard"}, hire="H-20")
        .calls("update_hire", {"hire": "H-20", "tier": "standard"}, hire="H-20", tier="premium")
        .says("Your hire has been upgraded to premium.")
    )
    text = "has been upgraded to premium"
    assert notes(script, text) == ["wrong-value transformation: the result says otherwise"]


@pytest.mark.parametrize(
    ("text", "piece"),
    [
        ("It was recorded in 2031.", "recorded in 2031"),
        ("1. Ask\n12. Sign", "12. Sign"),
        ("Use this:\n```\nwidth: 4711px\n```", "width: 4711px"),
        ("Mail ada.lind.77@example.org then.", "ada.lind.77@example.org"),
    ],
)
def test_what_the_agent_may_choose_or_put_together_is_no_invention(text: str, piece: str) -> None:
    script = Script().user("I am ada dot lind dot 77 at example dot org.")
    script.calls("get_log", {"stamp": "2031-09-16T08:43:13"}).says(text)
    assert notes(script, piece) == []


def test_a_field_named_like_a_period_is_not_the_amount_per_period() -> None:
    script = Script().user("What should I pay?")
    script.calls("forecast", {"month": 202601, "kwh": 335}).says("I suggest EUR 89.34 a month.")
    assert notes(script, "EUR 89.34 a month") == []


def test_a_field_that_went_into_a_figure_is_not_contradicted_by_it() -> None:
    script = Script().user("What do I get?").calls("get_policy", {"excess": 25.5})
    script.says("You get 295.7, that is minus the excess. The excess is 27.5.")
    assert notes(script, "You get 295.7, that is minus the excess") == []
    assert notes(script, "The excess is 27.5") == ["wrong-value transformation"]


def test_an_average_is_held_against_no_single_value() -> None:
    surveys = [{"diver": "Aune", "score": 4.0}, {"diver": "Brekke", "score": 3.5}]
    surveys += [{"diver": "Carlsen", "score": 3.5}]
    script = Script().user("How did BT-204 do in its surveys?")
    script.calls("get_surveys", {"boat": "BT-204", "surveys": surveys}, boat="BT-204")
    script.says("It has an average score of 3.67, with a lowest score of 3.2.")
    assert notes(script, "an average score of 3.67") == []
    assert notes(script, "a lowest score of 3.2") == ["wrong-value transformation"]
