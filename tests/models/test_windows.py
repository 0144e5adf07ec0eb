"""Texts longer than the window: everything wanted is read, and nothing earlier goes unseen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokengeist.models.windows import Stretch, plan_windows


def test_what_fits_is_read_at_once_and_no_further_than_needed() -> None:
    (window,) = plan_windows(range(90), size=100, cuts=[10, 50], head=10, wanted=[Stretch(60, 70)])
    assert window.positions.tolist() == list(range(70))
    assert window.common == len(window.positions)
    assert (window.share == 1).all()
    assert plan_windows(range(90), size=100, cuts=[], head=0, wanted=[]) == []


@settings(max_examples=40)
@given(
    size=st.integers(16, 80),
    turns=st.lists(st.integers(1, 40), min_size=2, max_size=20),
    seed=st.integers(0, 5),
)
def test_every_earlier_token_is_seen_by_every_wanted_one(
    size: int, turns: list[int], seed: int
) -> None:
    ends = np.cumsum(turns).tolist()
    ids = np.random.default_rng(seed).integers(0, 30, ends[-1]).tolist()
    wanted = [Stretch(a, b) for a, b in zip(ends[:-1:2], ends[1::2], strict=False)]
    windows = plan_windows(ids, size=size, cuts=ends, head=turns[0], wanted=wanted)
    for stretch in wanted:
        for token in range(stretch.start, stretch.stop):
            own = [w for w in windows if w.explained.start <= token < w.explained.stop]
            seen: dict[int, float] = {}
            for window in own:
                assert token in window.positions
                assert token - 1 in window.positions
                for position, share in zip(window.positions, window.share, strict=True):
                    seen[position] = seen.get(position, 0.0) + 1 / share
            # Every earlier token stands in some window, and its shares add up to one reading.
            earlier = {p: round(total, 9) for p, total in seen.items() if p < stretch.start}
            assert earlier == dict.fromkeys(range(stretch.start), 1.0)
    for window in windows:
        assert len(window.positions) <= size
        assert (np.diff(window.positions) > 0).all()
        common = window.common
        assert window.positions[:common].tolist() == list(range(common))
        assert common == len(window.positions) or window.positions[common] > common


def test_what_shares_rare_tokens_with_the_target_is_always_kept() -> None:
    filler = [1, 2, 3, 4] * 60
    clue = [77, 78, 79, 80]
    ids = [9] * 8 + clue + filler + clue
    cuts = [8, 12, *range(20, len(ids), 8), len(ids) - 4]
    wanted = [Stretch(len(ids) - 4, len(ids))]
    windows = plan_windows(ids, size=64, cuts=cuts, head=8, wanted=wanted)[1:]
    assert len(windows) > 2
    for window in windows:
        assert set(range(12)) <= set(window.positions.tolist())


@pytest.mark.parametrize("head", [0, 10, 500])
def test_a_turn_longer_than_the_window_is_read_in_pieces(head: int) -> None:
    windows = plan_windows(
        range(1000), size=100, cuts=[head, 1000], head=head, wanted=[Stretch(head or 1, 1000)]
    )
    explained = [(w.explained.start, w.explained.stop) for w in windows]
    assert max(stop for _, stop in explained) == 1000
    late = {start for start, _ in explained if start >= max(head, 1)}
    assert late - {head} <= {stop for _, stop in explained}
