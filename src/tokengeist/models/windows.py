"""How a text that is longer than a model's window is read anyway.

The first window is the beginning of the text, and everything that ends inside it is read exactly.
What comes later is read in groups of at most a quarter of the window. A group gets as many windows
as it takes for every earlier unit of text to be seen with it at least once, and in each of them
stand, in their order:

- the leading system turns (up to a quarter of the window),
- the *anchors*: the units most worth keeping, by the rare tokens they share with the group, and
  always the one just before it; they take half of the room that is left,
- a share of all other units, different in each window,
- the group itself.

A unit is a turn, or a piece of a long one. What stands in several windows is averaged over them, so
a source is always scored in the company of the best candidates, as it would be in the whole text;
without that company it would collect attention that belongs to others.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tokengeist.models.alignment import Indices


@dataclass(frozen=True, slots=True)
class Stretch:
    """Tokens [start, stop) of the whole text."""

    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """Some of the tokens, read together, to explain one stretch of them."""

    positions: Indices
    """Which tokens of the whole text, in order."""
    explained: Stretch
    """The tokens whose attention is wanted; they and the one before them are in `positions`."""
    share: Indices
    """(positions,) how many of the group's windows each token stands in."""

    @property
    def common(self) -> int:
        """How many tokens it begins with that the whole text begins with, too."""
        gaps = np.flatnonzero(self.positions != np.arange(len(self.positions)))
        return int(gaps[0]) if gaps.size else len(self.positions)


def plan_windows(
    token_ids: Sequence[int],
    *,
    size: int,
    cuts: Iterable[int],
    head: int,
    wanted: Sequence[Stretch],
) -> list[Window]:
    """Cover every `wanted` stretch with windows of at most `size` tokens.

    `cuts` are the places between tokens where the text may be cut without harm, such as the ends
    of turns; `head` is the length of the leading system turns.
    """
    last = max((stretch.stop for stretch in wanted), default=0)
    if last <= size:  # what follows the last stretch cannot matter to it, so it is not read at all
        everything = np.arange(last, dtype=np.int64)
        return [Window(everything, Stretch(0, last), np.ones_like(everything))] if last else []
    units = _units(last, sorted(set(cuts)), limit=max(1, size // 8))
    head_stop = max((u.stop for u in units if u.stop <= min(head, size // 4)), default=0)
    inside = max((u.stop for u in units if u.stop <= size), default=0)
    first = np.arange(inside, dtype=np.int64)
    windows = [Window(first, Stretch(0, inside), np.ones_like(first))]
    worth = _Worth(token_ids, units)
    for group in _groups(units, wanted, after=inside, limit=size // 4):
        windows += _windows_of_group(group, units, worth, size=size, head=head_stop)
    return windows


def _units(length: int, cuts: Sequence[int], limit: int) -> list[Stretch]:
    """Cut [0, length) at as few of `cuts` as keep units under `limit`, and elsewhere if need be."""
    units = []
    start = 0
    while start < length:
        within = [cut for cut in cuts if start < cut <= min(start + limit, length)]
        stop = within[-1] if within else min(start + limit, length)
        units.append(Stretch(start, stop))
        start = stop
    return units


def _groups(
    units: Sequence[Stretch], wanted: Sequence[Stretch], *, after: int, limit: int
) -> list[Stretch]:
    """Consecutive units that hold something wanted, together no longer than `limit`."""
    groups: list[Stretch] = []
    for unit in units:
        is_wanted = any(w.start < unit.stop and unit.start < w.stop for w in wanted)
        if unit.start < after or not is_wanted:
            continue
        if groups and unit.stop - groups[-1].start <= limit:
            groups[-1] = Stretch(groups[-1].start, unit.stop)
        else:
            groups.append(unit)
    return groups


class _Worth:
    """How much a unit has in common with a group: shared tokens, rare ones counting more."""

    def __init__(self, token_ids: Sequence[int], units: Sequence[Stretch]) -> None:
        self._ids = token_ids
        self._tokens = {unit: frozenset(token_ids[unit.start : unit.stop]) for unit in units}
        found_in = Counter(token for tokens in self._tokens.values() for token in tokens)
        self._rarity = {token: math.log(len(units) / n) for token, n in found_in.items()}

    def of(self, unit: Stretch, group: Stretch) -> float:
        shared = self._tokens[unit] & frozenset(self._ids[group.start : group.stop])
        # Long units share more by mere length; the root is the usual middle way.
        return sum(self._rarity[token] for token in shared) / math.sqrt(len(unit))


def _windows_of_group(
    group: Stretch, units: Sequence[Stretch], worth: _Worth, *, size: int, head: int
) -> list[Window]:
    others = [unit for unit in units if head <= unit.start and unit.stop <= group.start]
    # The token before the group is read with it: its row decides on the group's first token.
    room = size - head - len(group) - 1
    anchors = others[-1:]
    used = sum(map(len, anchors))
    for unit in sorted(others[:-1], key=lambda u: (worth.of(u, group), u.start), reverse=True):
        if used + len(unit) <= room // 2:
            anchors.append(unit)
            used += len(unit)
    batches: list[list[Stretch]] = [[]]
    filled = used
    for unit in others:
        if unit in anchors:
            continue
        if batches[-1] and filled + len(unit) > room:
            batches.append([])
            filled = used
        batches[-1].append(unit)
        filled += len(unit)
    masks = np.zeros((len(batches), group.stop), dtype=bool)
    for mask, batch in zip(masks, batches, strict=True):
        for stretch in (Stretch(0, head), *anchors, *batch, Stretch(group.start - 1, group.stop)):
            mask[stretch.start : stretch.stop] = True
    stands_in = masks.sum(axis=0)
    windows = []
    for mask in masks:
        positions = np.flatnonzero(mask)
        windows.append(Window(positions, group, stands_in[positions]))
    return windows
