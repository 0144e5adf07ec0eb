"""What speaks for the rules, a user or an earlier assistant turn behind prose."""

from __future__ import annotations

import pytest

from tests.attribution.conversations import Script, explain
from tokengeist.api import settings_for
from tokengeist.attribution.blend import attributor
from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.features import features
from tokengeist.attribution.blend.model import Weights, shipped_weights
from tokengeist.attribution.blend.origins import understand
from tokengeist.attribution.blend.scene import Features
from tokengeist.transcript import Role, locate_target


def features_of(script: Script, text: str, turn: int) -> Features:
    """What is known of a turn as a source of a span of the last assistant turn."""
    transcript = script.transcript()
    last = max(t.index for t in transcript.turns if t.role is Role.ASSISTANT)
    book = Book(transcript)
    return features(book, understand(book, locate_target(transcript, text, turn=last)))[turn][1]


def kennel() -> Script:
    return (
        Script()
        .system("A stay may be moved once. Dogs need a certificate of vaccination.")
        .user("I would like to move the stay of my dog Fenna to another week.")
        .says("Which week do you have in mind?")
        .user("The last one of May.")
    )


def moved() -> Script:
    return (
        kennel()
        .calls("move_stay", {"stay": "ST-18", "week": 22}, stay="ST-18", week=22)
        .says("The stay of your dog has been moved.")
    )


def test_whoever_asked_for_a_change_is_no_source_of_the_report_that_it_was_made() -> None:
    reported = features_of(moved(), "The stay of your dog has been moved", 1)
    assert reported["change_reported"]
    assert features_of(moved(), "The stay of your dog has been moved", 3)["change_reported"]
    assert features_of(moved(), "The stay of your dog has been moved", 0)["change_reported"]
    promised = kennel().says("The stay of your dog will be moved.")
    assert not features_of(promised, "The stay of your dog will be moved", 1)["change_reported"]


def test_the_further_back_a_user_turn_is_the_less_speaks_for_it() -> None:
    script = kennel().says("That week is free.")
    assert features_of(script, "That week is free", 3)["turns_back"] == 0
    assert features_of(script, "That week is free", 1)["turns_back"] > 0


def test_a_long_turn_of_the_assistant_is_more_likely_a_source_than_a_short_one() -> None:
    script = kennel().says("That week is free.").user("Fine.").says("It is the 22nd week.")
    script.user("And then?").says("After that comes the 23rd week, which is full.").user("Oh.")
    script.says("The 24th is free.")
    long, short = (features_of(script, "24th", turn)["says_much"] for turn in (8, 4))
    assert long > short


def test_a_recital_of_the_rules_says_less_of_the_user_before_it() -> None:
    recital = kennel().says("Dogs need a certificate of vaccination.")
    own = kennel().says("The beach nearby will please her.")
    assert features_of(recital, "Dogs need a certificate of vaccination", 3)["recited"] == 1.0
    assert features_of(own, "The beach nearby will please her", 3)["recited"] < 0.5


def test_what_stands_beside_the_target_leads_to_the_user_who_spoke_of_it() -> None:
    script = kennel().says("For the stay of Fenna in another week the price is 140 euros.")
    first, last = (features_of(script, "140 euros", turn)["context_match"] for turn in (1, 3))
    assert first > last


@pytest.mark.parametrize(
    ("sentence", "is_retold"),
    [
        ("You would like to move the stay of your dog.", True),
        ("The customer asks to move the stay of a dog.", True),
        ("We could move the stay of your dog.", False),
    ],
)
def test_where_a_wish_is_retold_its_words_come_from_the_user(
    sentence: str, is_retold: bool
) -> None:
    found = features_of(kennel().says(sentence), "move the stay", 1)
    assert (found["wished"] > 0) is is_retold


def test_what_is_handed_to_somebody_else_retells_the_user() -> None:
    summary = "Move the stay of the dog Fenna to another week, the last one of May if it is free."
    script = kennel().calls("hand_over", "done", summary=summary)
    assert features_of(script, "the dog Fenna to another week", 1)["wished"] > 0


def test_what_users_and_results_say_needs_no_rule() -> None:
    script = kennel().calls("get_stay", {"vaccination": "certificate missing"}, stay="ST-18")
    script.says("The certificate of vaccination is missing.")
    new = kennel().says("A certificate of vaccination is needed.")
    said = features_of(script, "certificate of vaccination is missing", 0)["said"]
    assert said > features_of(new, "A certificate of vaccination is needed", 0)["said"]


def test_what_the_assistant_has_said_before_needs_no_rule_either() -> None:
    script = kennel().says("A small box by the garden is free.").user("Nice.")
    script.says("So I take the small box by the garden.")
    assert features_of(script, "small box by the garden", 0)["said"] > 0.9


def thinks() -> Script:
    return (
        kennel()
        .calls("think", "", thought="The stay was moved before, so it cannot be moved again.")
        .says("Your stay cannot be moved again.")
    )


def test_a_decision_that_was_thought_through_rests_on_the_thought_and_not_on_the_rule() -> None:
    found = features_of(thinks(), "stay cannot be moved again", 0)
    assert found["thought_through"] > 0.9
    assert features_of(thinks(), "stay cannot be moved again", 4)["thought"] > 0.9


def test_a_thought_from_before_the_user_spoke_again_is_no_decision_of_now() -> None:
    later = thinks().user("Really?").says("As I said, your stay cannot be moved again.")
    target = "As I said, your stay cannot be moved again"
    assert not features_of(later, target, 4)["thought"]
    assert not features_of(later, target, 0)["thought_through"]


def test_what_the_rules_say_is_not_the_assistants_own() -> None:
    script = kennel().says("Dogs need a certificate of vaccination.").user("Really?")
    script.says("Yes, dogs need a certificate of vaccination. And a small box by the garden.")
    assert features_of(script, "dogs need a certificate of vaccination", 4)["ruled"] == 1.0
    assert features_of(script, "a small box by the garden", 4)["ruled"] < 0.5


def test_a_turn_that_gives_new_figures_is_gone_on_with_and_the_latest_most() -> None:
    script = kennel().says("That is 140 euros, or 260 for both.").user("Fine.").says("140 euros.")
    script.user("And then?").says("Then there are 31 to pay at once.")
    first, last = (features_of(script, "31 to pay", turn) for turn in (4, 6))
    assert first["new_figures"] > last["new_figures"] == 0
    assert first["long_ago"] > last["long_ago"]


def test_an_id_is_no_part_of_a_rule() -> None:
    script = kennel().says("Your stay ST-18 is in May.")
    assert 0 < features_of(script, "stay ST-18", 0)["rule_match"] < 0.7
    assert features_of(script, "stay", 0)["rule_match"] == 1.0


def test_the_rest_of_a_sentence_leads_to_the_rule_that_it_tells() -> None:
    ruled = kennel().says("Dogs need a certificate of vaccination, which she lacks.")
    other = kennel().says("She has a bed, a bowl and a blanket, which she likes.")
    assert features_of(ruled, "which she lacks", 0)["premise_match"] > 0.5
    assert features_of(other, "which she likes", 0)["premise_match"] < 0.1


def test_a_figure_may_follow_from_rules_that_give_amounts() -> None:
    found, plain = (
        features_of(Script().system(rules).user("Well?").says("It is 140 in all."), "140", 0)
        for rules in ("A night costs 20 euros, a walk 4 euros.", "Be kind to dogs.")
    )
    assert found["figures"]
    assert plain["figures"]
    assert found["figures_ruled"] > plain["figures_ruled"] == 0
    assert not features_of(kennel().says("It is all right."), "all right", 0)["figures"]


def test_what_is_said_at_once_is_told_from_what_follows_a_look_up() -> None:
    assert features_of(kennel().says("Gladly."), "Gladly", 0)["answers"]
    assert not features_of(moved(), "The stay of your dog has been moved", 0)["answers"]


def test_the_month_of_may_permits_nothing() -> None:
    may = kennel().says("She may come on the last day.")
    assert features_of(may, "She may come on the last day", 0)["states_rule"]
    date = kennel().says("She comes on May 27.")
    assert not features_of(date, "She comes on May 27", 0)["states_rule"]


def test_if_so_concludes_nothing() -> None:
    script = kennel().says("Is it free? If so we move it. It is, so we move it now.")
    assert not features_of(script, "If so we move it", 0)["concludes"]
    assert features_of(script, "so we move it now", 0)["concludes"]


def test_the_likeliest_is_kept_where_nothing_reaches_the_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script = kennel().says("We look forward to it.")
    monkeypatch.setattr(Weights, "probability", lambda *_: attributor.LIKELIEST)
    scores = sorted(link.score for link in explain(script, "look forward").links)
    assert scores[-1] == shipped_weights().cut
    assert set(scores[:-1]) == {attributor.LIKELIEST}
    monkeypatch.setattr(Weights, "probability", lambda *_: attributor.LIKELIEST / 2)
    assert {link.score for link in explain(script, "look forward").links} == {0.04}


def test_a_trace_keeps_what_the_weights_call_a_source() -> None:
    assert settings_for("blend").trace.min_score == shipped_weights().cut
