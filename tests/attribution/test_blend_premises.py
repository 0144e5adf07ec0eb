"""Conclusions: what is said right before them, or beside, tells what they rest on."""

from __future__ import annotations

from tests.attribution.conversations import Script, quoted, sources


def lessons(answer: str) -> Script:
    """0 user, 1–2 the course, 3–4 the room, 5 user, 6–7 a note, 8 the answer."""
    return (
        Script()
        .user("I did the evening course.")
        .calls("get_course", {"course": "C-20417", "attended": 18, "lessons": 24, "grade": "B"})
        .calls("get_room", {"room": "R-30552", "chairs": 31, "floor": 4})
        .user("May I have the diploma?")
        .calls("get_note", {"note": "the printer is out of order"})
        .says(answer)
    )


def test_a_conclusion_rests_on_all_that_the_rest_of_its_sentence_rests_on() -> None:
    script = lessons("I see. You attended 18 lessons and there are 31 chairs, so we can go on.")
    assert sources(script, "we can go on") >= {2, 4}


def test_a_sentence_that_refers_back_rests_on_what_the_one_before_rests_on() -> None:
    script = lessons("You attended 18 of the 24 lessons. That is too few.")
    assert 2 in sources(script, "is too few")


def test_a_new_paragraph_leaves_that_behind() -> None:
    script = lessons("You attended 18 of the 24 lessons.\n\nThat is too few.")
    assert 2 not in sources(script, "is too few")


def test_a_figure_that_nothing_accounts_for_rests_on_the_sentence_before() -> None:
    script = lessons("You attended 18 of the 24 lessons. Some 77.7 points were given.")
    assert 2 in sources(script, "Some 77.7 points")


def test_a_plain_statement_after_others_needs_them_less() -> None:
    script = lessons("You attended 18 of the 24 lessons. The certificate is free.")
    assert 2 not in sources(script, "The certificate is free")


def test_what_is_quoted_is_what_the_premise_tells() -> None:
    told = "The tutor Marlow was ill on 4 May 2031 in Leeds. We counted 18 of 24 lessons."
    script = (
        Script()
        .user("May I have the diploma?")
        .calls("read_file", told)
        .says(
            "The tutor Marlow was ill on 4 May 2031 in Leeds. You attended 18 of the 24 lessons. "
            "That is too few."
        )
    )
    assert quoted(script, "That is too few", 2) == ["We counted 18 of 24 lessons"]
