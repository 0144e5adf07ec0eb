"""The blend backend with the sentence model: what is said in other words is found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.attribution.conversations import Script, library
from tokengeist.api import trace
from tokengeist.attribution import cached
from tokengeist.attribution.blend.attributor import BlendAttributor, create
from tokengeist.attribution.blend.meaning import Likeness
from tokengeist.attribution.blend.model import BIAS, starting_weights
from tokengeist.attribution.blend.revision import (
    CUES,
    LIKENESSES,
    ROLES,
    Candidate,
    Revision,
    cues,
    feature_columns,
    log_odds,
    shipped_revision,
)
from tokengeist.attribution.blend.rivals import LAYERS, Rivals
from tokengeist.attribution.cached import cache_size, clear_cache, load_judge, vectors_file
from tokengeist.attribution.on_disk import read_vectors
from tokengeist.attribution.protocol import Explanation
from tokengeist.attribution.registry import BackendOptions
from tokengeist.errors import MissingExtraError, ModelError
from tokengeist.models import sentences
from tokengeist.models.loading import load_model
from tokengeist.models.sentences import SentenceModel
from tokengeist.transcript import Role, Target, Transcript, locate_target

if TYPE_CHECKING:
    from tokengeist.models.sentences import Matrix

CLAIM = "animals have to remain below with the vehicles"
RULE = "Pets stay on the car deck during the crossing"


def ferry() -> Transcript:
    """A rule is applied in words none of which stands in it."""
    return (
        Script()
        .system(
            f"You work for a ferry line. Greet people by name. {RULE}. "
            "Tickets are sent by e-mail. Refunds take five working days."
        )
        .user("Hello, I am Ida Holm. We travel on Friday.")
        .says("Hello Ida! How can I help?")
        .user("I bring Rex. Is that a problem?")
        .says(f"No, but {CLAIM}.")
        .transcript()
    )


@pytest.fixture(scope="module")
def model() -> SentenceModel:
    return SentenceModel.find("a test")


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOKENGEIST_CACHE", str(tmp_path / "cache"))


def explain(transcript: Transcript, target: Target, attributor: BlendAttributor) -> Explanation:
    return attributor.read(transcript, ()).explain(target)


def score_of(found: Explanation, turn: int) -> float:
    return next(link.score for link in found.links if link.turn == turn)


def test_a_rule_in_other_words_is_found_and_quoted(model: SentenceModel) -> None:
    transcript = ferry()
    target = locate_target(transcript, CLAIM)
    free = explain(transcript, target, BlendAttributor())
    found = explain(transcript, target, BlendAttributor(model=model))
    assert score_of(free, 0) + 0.05 < score_of(found, 0)
    (link,) = (link for link in found.links if link.turn == 0)
    assert [span.of(transcript.turns[0].text) for span in link.evidence] == [RULE]


def test_a_field_in_other_words_is_found(model: SentenceModel) -> None:
    script = (
        Script()
        .user("Is it warm there?")
        .calls("get_weather", {"sky": "heavy rain", "wind": "strong"}, town="Oslo")
        .calls("get_news", {"headline": "Museum reopens", "score": "4"}, town="Oslo")
        .says("You will get wet without an umbrella.")
    )
    target = locate_target(script.transcript(), "You will get wet without an umbrella")
    free = explain(script.transcript(), target, BlendAttributor())
    found = explain(script.transcript(), target, BlendAttributor(model=model))
    assert score_of(free, 2) < 0.3 < score_of(found, 2)
    assert score_of(found, 2) / score_of(free, 2) > score_of(found, 4) / score_of(free, 4)


def test_arguments_are_explained_as_without_it(model: SentenceModel) -> None:
    class Untouched(SentenceModel):
        def embed(self, texts: Sequence[str]) -> Matrix:
            raise AssertionError("nothing was to be read")

    transcript = library().transcript()
    target = locate_target(transcript, "LN-4471", turn=8)
    untouched = BlendAttributor(model=Untouched(Path()), revision=shipped_revision())
    assert explain(transcript, target, untouched) == explain(transcript, target, BlendAttributor())


def test_what_was_asked_before_changes_nothing(model: SentenceModel) -> None:
    transcript = ferry()
    claim, greeting = locate_target(transcript, CLAIM), locate_target(transcript, "Hello Ida!")
    for cache in (False, True):
        reading = BlendAttributor(model=model, cache=cache).read(transcript, ())
        reading.explain(greeting)
        assert reading.explain(claim) == explain(transcript, claim, BlendAttributor(model=model))


def test_the_graph_says_which_model_was_used() -> None:
    spec = trace(ferry(), CLAIM, options=BackendOptions(model="minilm")).spec
    assert (spec.name, spec.model, spec.options["model"]) == ("blend", "minilm", "minilm")
    assert spec.options["revision"] == shipped_revision().name
    spec = trace(ferry(), CLAIM, options=BackendOptions(model="none")).spec
    assert (spec.model, spec.options["model"]) == (None, None)


def test_the_model_is_used_where_it_is_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    assert create(BackendOptions()).spec.model == "minilm"
    monkeypatch.setattr(sentences, "sentence_model_folder", lambda: None)
    assert create(BackendOptions()).spec.model is None
    monkeypatch.undo()
    monkeypatch.setattr(sentences, "_PACKAGES", ("no_such_package",))
    assert create(BackendOptions()).spec.model is None


def test_a_second_reading_needs_no_model(
    model: SentenceModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript = ferry()
    target = locate_target(transcript, CLAIM)
    create_again = BackendOptions(model="minilm")
    first = explain(transcript, target, create(create_again))
    assert cache_size().readings == 1
    monkeypatch.setattr(sentences, "_load", lambda folder: pytest.fail("loaded"))
    assert explain(transcript, target, create(create_again)) == first


def test_damaged_vectors_are_made_again(model: SentenceModel) -> None:
    transcript = ferry()
    target = locate_target(transcript, CLAIM)
    first = explain(transcript, target, BlendAttributor(model=model, cache=True))
    path = vectors_file(transcript, model.fingerprint)
    path.write_bytes(path.read_bytes()[:-100])
    assert explain(transcript, target, BlendAttributor(model=model, cache=True)) == first
    known = read_vectors(path)
    assert CLAIM in known
    clear_cache()
    assert not path.exists()


def test_without_the_model_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentences, "sentence_model_folder", lambda: None)
    with pytest.raises(MissingExtraError, match="tokengeist models pull minilm"):
        create(BackendOptions(model="minilm"))
    monkeypatch.setattr(sentences, "_PACKAGES", ("no_such_package",))
    with pytest.raises(MissingExtraError, match=r"pip install 'tokengeist\[models\]'"):
        create(BackendOptions(model="minilm"))


def test_it_is_no_language_model() -> None:
    with pytest.raises(ModelError, match="'minilm' is a sentence model"):
        load_model("minilm")


def test_vectors_of_like_texts_lie_near_each_other(model: SentenceModel) -> None:
    made = model.embed(["The dog sleeps.", "A hound takes a nap, quite soundly.", "Rates rise."])
    assert (made**2).sum(axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
    assert made[0] @ made[1] > 0.4 > made[0] @ made[2]


def known(turn: int, role: Role, probability: float, lead: float = 0.0) -> Candidate:
    features = dict.fromkeys(starting_weights()[f"prose/{role}"], 0.0)
    del features[BIAS]
    return Candidate(turn, role, features, log_odds(probability), Likeness(lead, 2.0), 80)


def unchanging() -> Revision:
    """Trusts the model-free log-odds and nothing else."""
    weights = {
        str(role): dict.fromkeys((*CUES, *starting_weights()[f"prose/{role}"]), 0.0)
        | {"log_odds": 1.0}
        for role in Role
    }
    inner = 2 * LIKENESSES
    asked = np.zeros((5 * 3 + 1, inner), np.float32)
    passage = np.zeros((3 + len(ROLES), inner), np.float32)
    return Revision(weights, asked, passage, silent(weights), "")


def silent(weights: Mapping[str, Mapping[str, float]], width: int = 8) -> Rivals:
    """Candidates look at one another at random, and nothing comes of it."""
    known = len(CUES) + len(feature_columns(weights)) + len(ROLES)
    linear = {"into": (width, known), "out": (1, width)}
    shapes: dict[str, tuple[int, ...]] = {}
    for name in (f"look.layers.{layer}" for layer in range(LAYERS)):
        linear[f"{name}.self_attn.out_proj"] = (width, width)
        linear[f"{name}.linear1"], linear[f"{name}.linear2"] = (
            (2 * width, width),
            (width, 2 * width),
        )
        shapes[f"{name}.self_attn.in_proj_weight"] = (3 * width, width)
        shapes[f"{name}.self_attn.in_proj_bias"] = (3 * width,)
        for norm in (f"{name}.norm1", f"{name}.norm2"):
            shapes |= {f"{norm}.weight": (width,), f"{norm}.bias": (width,)}
    for name, shape in linear.items():
        shapes |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    draw = np.random.default_rng(0)
    numbers = {n: draw.normal(0, 0.3, shape).astype(np.float32) for n, shape in shapes.items()}
    return Rivals({n: 0 * found if n.startswith("out") else found for n, found in numbers.items()})


def test_numbers_that_change_nothing_change_nothing() -> None:
    candidates = [known(0, Role.SYSTEM, 0.37), known(1, Role.USER, 0.8)]
    passages = {0: np.ones((2, 3), np.float32), 1: np.ones((0, 3), np.float32)}
    found = unchanging().probabilities(2, candidates, np.ones((5, 3), np.float32), passages)
    assert found == pytest.approx({0: 0.37, 1: 0.8})
    assert unchanging().probabilities(2, [], np.ones((5, 3), np.float32), {}) == {}


def test_a_likeness_speaks_for_the_turn_whose_passage_is_near() -> None:
    revision = unchanging()
    revision.asked[:3, 0] = revision.passage[:3, 0] = (2.0, -1.0, 0.5)
    for weights in revision.weights.values():
        assert isinstance(weights, dict)
        weights |= {"nearest_1": 0.5, "share_1": 0.5}
    views = np.zeros((5, 3), np.float32)
    views[0] = (1.0, 0.0, 0.0)
    passages = {
        0: np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], np.float32),
        1: np.array([[0.0, 1.0, 0.0]], np.float32),
    }
    candidates = [known(0, Role.USER, 0.5), known(1, Role.USER, 0.5)]
    found = revision.probabilities(2, candidates, views, passages)
    assert found[1] < 0.5 < found[0]


def test_candidates_look_at_one_another_in_no_order() -> None:
    quiet = unchanging()
    numbers = {**quiet.rivals.numbers, "out.weight": np.ones((1, 8), np.float32)}
    revision = replace(quiet, rivals=Rivals(numbers))
    passages = {turn: np.ones((1, 3), np.float32) for turn in range(3)}
    views = np.ones((5, 3), np.float32)
    first, second = known(0, Role.USER, 0.5), known(1, Role.USER, 0.5)
    third, other = known(2, Role.TOOL, 0.5), known(2, Role.TOOL, 0.5)
    other.features[next(iter(other.features))] = 1.0
    found = revision.probabilities(3, [first, second, third], views, passages)
    turned = revision.probabilities(3, [third, second, first], views, passages)
    assert found == pytest.approx(turned, rel=1e-3)
    beside = revision.probabilities(3, [first, second, other], views, passages)
    assert abs(log_odds(beside[0]) - log_odds(found[0])) > 0.1
    assert quiet.probabilities(3, [first, second, other], views, passages)[0] == pytest.approx(0.5)


def test_the_shipped_numbers_let_meaning_speak_for_a_source() -> None:
    shipped = shipped_revision()
    for role in Role:
        assert shipped.weights[role]["log_odds"] > 0.4
        assert shipped.weights[role]["beyond_rivals"] > 0
        assert set(CUES) < shipped.weights[role].keys()


def test_cues_say_where_a_turn_stands_among_its_rivals() -> None:
    candidates = [known(0, Role.SYSTEM, 0.5), known(1, Role.USER, 0.9), known(3, Role.USER, 0.2)]
    first, second, third = (dict(zip(CUES, row, strict=False)) for row in cues(4, candidates))
    assert (first["is_first"], second["is_first"]) == (1.0, 0.0)
    assert (second["later_of_its_role"], third["later_of_its_role"]) == (1.0, 0.0)
    assert first["best_rival"] == pytest.approx(log_odds(0.9) / 5)
    assert second["best_of_its_role"] == pytest.approx(log_odds(0.2) / 5)
    assert third["likelier_rivals"] == pytest.approx(2 / 5)
    assert third["sources_elsewhere"] == pytest.approx(1.4)
    assert (log_odds(0.0), log_odds(1.0)) == (-30.0, 30.0)


def test_a_graph_found_with_it_is_judged_by_a_language_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded: list[str | None] = []
    monkeypatch.setattr(cached, "load_model", lambda name, **_: loaded.append(name))
    load_judge(BackendOptions(model="minilm"))
    load_judge(BackendOptions(model="none"))
    load_judge(BackendOptions(model="some/model"))
    assert loaded == [None, None, "some/model"]
