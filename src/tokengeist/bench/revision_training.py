"""Gradient descent for a revision: likenesses, weights of cues and `rivals` are learned together.

Separate from the reading of the data because it needs torch. Everything starts where it changes
nothing: the model-free log-odds weigh 1, all other cues and what `rivals` says 0. Labels of one hop
were made in another way than gold graphs, so they have a bias and a trust in the log-odds of their
own, which are forgotten afterwards. The seed is fixed: the same data give the same revision but for
the last digits, because two threads add up in any order.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from tokengeist.attribution.blend.model import Weights, starting_weights
from tokengeist.attribution.blend.revision import (
    CUES,
    FAINTEST,
    FARTHEST,
    LIKENESSES,
    NEAREST,
    ROLES,
    SMALLER,
    Revision,
    cues,
    feature_columns,
)
from tokengeist.attribution.blend.rivals import HEADS, LAYERS, Rivals
from tokengeist.bench.revision import Talk
from tokengeist.progress import report

INNER = 8
"""The width of what a likeness compares."""
WIDTH = 64
"""Of a candidate among its rivals."""
EPOCHS = 12
AT_ONCE = 4
"""Conversations to a step."""
RATE = 1e-3
DECAY = 0.1
"""How fast all but the weights of cues fades; these do not: they start from what is known."""
FASTER = 3
"""How much faster the weights of cues are learned."""
FORGOTTEN = 0.5
"""The share of the vectors' numbers that is left out at random, against learning by heart."""
FORGOTTEN_OF_RIVALS = 0.3
"""The same between the layers of `rivals`."""
SEED = 0
_NAMED = len(CUES) - 2 * LIKENESSES


@dataclass(frozen=True)
class _Batch:
    """One conversation as tensors."""

    views: Tensor  # (hops, views × width)
    passages: Tensor  # (passages, width)
    turns: Tensor  # (passages,) whose they are
    authors: Tensor  # (passages,) the role of that turn
    named: Tensor  # (hops, turns, named cues)
    features: Tensor  # (hops, turns, all features of all lists)
    roles: Tensor  # (hops, turns)
    is_candidate: Tensor  # (hops, turns)
    is_source: Tensor  # (hops, turns)
    is_gold: bool


def train(talks: Sequence[Talk], free: Weights, name: str) -> Revision:
    """The revision of some weights that the conversations call for."""
    torch.manual_seed(SEED)
    draw = random.Random(SEED)
    places = _feature_places()
    batches = [_batch(talk, free, places) for talk in talks]
    width = batches[0].passages.shape[1]
    net = _Net(batches[0].views.shape[1], width, len(places))
    steps = EPOCHS * math.ceil(len(batches) / AT_ONCE)
    optimiser = torch.optim.AdamW(
        [
            {"params": net.nameless(), "weight_decay": DECAY},
            {"params": net.numbers(), "weight_decay": 0.0},
        ],
        lr=RATE,
    )
    pace = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, [RATE, FASTER * RATE], total_steps=steps, pct_start=0.1
    )
    for epoch in range(EPOCHS):
        draw.shuffle(batches)
        for start in range(0, len(batches), AT_ONCE):
            report("learning", epoch * len(batches) + start, EPOCHS * len(batches))
            chosen = batches[start : start + AT_ONCE]
            hops = sum(len(batch.views) for batch in chosen)
            loss = torch.stack([net.loss(batch) for batch in chosen]).sum() / hops
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            pace.step()
    return net.revision(name, places)


class _Net(nn.Module):
    """`Revision.probabilities`, for many hops at once and with gradients."""

    def __init__(self, asked: int, width: int, features: int) -> None:
        super().__init__()
        self.asked = nn.Linear(asked, LIKENESSES * INNER)
        self.passage = nn.Linear(width, LIKENESSES * INNER, bias=False)
        self.author = nn.Parameter(0.02 * torch.randn(len(ROLES), LIKENESSES * INNER))
        self.cues = nn.Parameter(torch.zeros(len(ROLES), len(CUES)))
        with torch.no_grad():
            self.cues[:, CUES.index("log_odds")] = 1.0
        self.features = nn.Parameter(torch.zeros(features))
        self.otherwise = nn.Parameter(torch.zeros(2, len(ROLES)))  # of labels of one hop
        self.rivals = _Rivals(len(CUES) + features + len(ROLES))
        self.forget = nn.Dropout(FORGOTTEN)

    def nameless(self) -> list[nn.Parameter]:
        """What the texts are compared by, and what all candidates are seen by."""
        compared = [*self.asked.parameters(), *self.passage.parameters(), self.author]
        return [*compared, *self.rivals.parameters()]

    def numbers(self) -> list[nn.Parameter]:
        """The weights of cues."""
        return [self.cues, self.features, self.otherwise]

    def loss(self, batch: _Batch) -> Tensor:
        """The surprise at which turns are sources, over all hops."""
        each = functional.binary_cross_entropy_with_logits(
            self(batch), batch.is_source, reduction="none"
        )
        return each[batch.is_candidate].sum()

    def forward(self, batch: _Batch) -> Tensor:
        """Log-odds: (hops, turns)."""
        cue = torch.cat([batch.named, self._compare(batch)], dim=-1)
        odds = (cue * self.cues[batch.roles]).sum(dim=-1) + batch.features @ self.features
        authors = functional.one_hot(batch.roles, len(ROLES))
        given = torch.cat([SMALLER * cue, batch.features, authors], dim=-1)
        beside: Tensor = self.rivals(given, batch.is_candidate)
        odds = odds + beside
        if not batch.is_gold:
            trust, bias = self.otherwise[:, batch.roles]
            odds = odds + trust * cue[..., CUES.index("log_odds")] + bias
        return odds

    def _compare(self, batch: _Batch) -> Tensor:
        hops, turns = batch.roles.shape
        asked = self.asked(self.forget(batch.views)).view(hops, LIKENESSES, INNER)
        own = self.passage(self.forget(batch.passages)) + self.author[batch.authors]
        near = torch.einsum("hli,pli->hlp", asked, own.view(-1, LIKENESSES, INNER))
        near = (near / math.sqrt(INNER)).clamp(max=NEAREST)
        whose = batch.turns.expand(hops, LIKENESSES, -1)
        empty = torch.full((hops, LIKENESSES, turns), FARTHEST)
        best = empty.scatter_reduce(2, whose, near, "amax", include_self=True)
        mass = torch.zeros(hops, LIKENESSES, turns).scatter_add(2, whose, near.exp())
        mass = mass * batch.is_candidate[:, None]
        share = torch.log(mass / (mass.sum(dim=-1, keepdim=True) + 1e-6) + FAINTEST)
        return torch.cat([best, share], dim=1).transpose(1, 2)

    def revision(self, name: str, places: dict[tuple[str, str], int]) -> Revision:
        """What was learned."""
        with torch.no_grad():
            weights = {
                str(role): dict(zip(CUES, self.cues[number].tolist(), strict=True))
                for number, role in enumerate(ROLES)
            }
            for (role, feature), place in places.items():
                weights[role][feature] = float(self.features[place])
            asked = torch.cat([self.asked.weight.T, self.asked.bias[None]]).numpy().copy()
            passage = torch.cat([self.passage.weight.T, self.author]).numpy().copy()
            seen = {key: found.numpy().copy() for key, found in self.rivals.state_dict().items()}
            return Revision(weights, asked, passage, Rivals(seen), name)


class _Rivals(nn.Module):
    """`Rivals.odds`, for many hops at once and with gradients."""

    def __init__(self, known: int) -> None:
        super().__init__()
        self.into = nn.Linear(known, WIDTH)
        layer = nn.TransformerEncoderLayer(
            WIDTH, HEADS, 2 * WIDTH, FORGOTTEN_OF_RIVALS, batch_first=True, norm_first=True
        )
        self.look = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        self.out = nn.Linear(WIDTH, 1)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, given: Tensor, is_candidate: Tensor) -> Tensor:
        """(hops, turns, known of each) → (hops, turns); only candidates are looked at."""
        states = self.look(self.into(given), src_key_padding_mask=~is_candidate)
        found: Tensor = self.out(states).squeeze(-1).masked_fill(~is_candidate, 0.0)
        return found


def _feature_places() -> dict[tuple[str, str], int]:
    """Where the features of prose stand in a row: (role, name) → place."""
    prose = {
        group.removeprefix("prose/"): entries
        for group, entries in starting_weights().items()
        if group.startswith("prose/")
    }
    return {key: place for place, key in enumerate(feature_columns(prose))}


def _batch(talk: Talk, free: Weights, places: dict[tuple[str, str], int]) -> _Batch:
    turns = max(max(talk.passages), max(hop.turn for hop in talk.hops)) + 1
    shape = (len(talk.hops), turns)
    named = torch.zeros(*shape, _NAMED)
    features = torch.zeros(*shape, len(places))
    roles = torch.zeros(shape, dtype=torch.long)
    is_candidate = torch.zeros(shape, dtype=torch.bool)
    is_source = torch.zeros(shape)
    authors = {}
    for row, hop in enumerate(talk.hops):
        candidates = hop.candidates(free)
        for found, known in zip(candidates, cues(hop.turn, candidates), strict=True):
            role = ROLES.index(found.role)
            named[row, found.turn] = torch.tensor(known)
            roles[row, found.turn] = authors[found.turn] = role
            is_candidate[row, found.turn] = True
            is_source[row, found.turn] = float(found.turn in hop.sources)
            for feature, value in found.features.items():
                features[row, found.turn, places[found.role, feature]] = value
    vectors = {turn: found for turn, found in talk.passages.items() if turn in authors}
    owners = [turn for turn, found in vectors.items() for _ in found]
    return _Batch(
        views=torch.from_numpy(np.stack([hop.views.reshape(-1) for hop in talk.hops])),
        passages=torch.from_numpy(np.concatenate(list(vectors.values()))),
        turns=torch.tensor(owners),
        authors=torch.tensor([authors[turn] for turn in owners]),
        named=named,
        features=features,
        roles=roles,
        is_candidate=is_candidate,
        is_source=is_source,
        is_gold=talk.is_gold,
    )
