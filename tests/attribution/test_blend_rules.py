"""Statements that follow from the rules, said in other words than theirs, and ones that do not."""

from __future__ import annotations

from tests.attribution.conversations import Script, explain, sources

RULES = (
    "A permit costs 30 EUR. Requests of more than 10 days in a row: the head of the office must "
    "approve too. Late fees are 2 EUR per day. Pets are allowed on the lower deck only."
)


def harbour() -> Script:
    """0 the rules, 1 user, 2–3 a berth, 4–5 another, 6 the answer."""
    return (
        Script()
        .system(RULES)
        .user("I would like berth BT-7 from 1 to 15 May. And what about my dog?")
        .calls("get_berth", {"berth": "BT-7", "deck": "upper", "status": "free"}, berth="BT-7")
        .calls("get_berth", {"berth": "BT-9", "deck": "lower", "status": "free"}, berth="BT-9")
        .says(
            "For that long the head of the office needs to agree. Pets are allowed on the lower "
            "deck only. Your old bill comes to 47.60 EUR. The upper one is free."
        )
    )


def test_a_rule_in_other_words_is_the_source() -> None:
    assert 0 in sources(harbour(), "the head of the office needs to agree")


def test_a_rule_recited_needs_no_result() -> None:
    script = harbour().user("I see.").says("Pets are allowed on the lower deck only.")
    assert sources(script, "Pets are allowed on the lower deck only", turn=8) == {0}
    assert 5 in sources(script.user("So?").says("BT-9 is on it."), "BT-9 is on it")


def test_an_amount_without_any_account_may_follow_from_the_rates_of_the_rules() -> None:
    assert 0 in sources(harbour(), "Your old bill comes to 47.60 EUR")


def test_what_two_results_say_alike_does_not_tell_them_apart() -> None:
    assert 3 in sources(harbour(), "The upper one is free")
    links = {link.turn: link.score for link in explain(harbour(), "The upper one").links}
    assert links[3] > 2 * links[5]


def test_what_is_allowed_needs_no_result_and_what_is_the_case_does() -> None:
    def answered(text: str, **berth: str) -> set[int]:
        script = Script().system(RULES).user("Can I bring a dog to BT-7?")
        script.calls("get_berth", {"berth": "BT-7", **berth}, berth="BT-7").says(text)
        return sources(script, text)

    assert answered("Pets can only stay on the lower deck", length="9 m") == {0}
    assert answered("Pets are allowed since it is on the lower deck", deck="lower") >= {0, 3}
