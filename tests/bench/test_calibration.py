"""How many links with some probability are right."""

from __future__ import annotations

from tokengeist.attribution.blend.attributor import LEAST, BlendAttributor
from tokengeist.bench.calibration import BOUNDS, Band, bands, scored_links
from tokengeist.bench.dataset import Dataset
from tokengeist.bench.fit import needs


def test_links_are_counted_in_the_band_of_their_score() -> None:
    scored = [
        (LEAST, False),
        (0.0999, True),
        (0.2, True),
        (0.2999, False),
        (0.9, True),
        (1.0, True),
    ]
    found = bands(scored)
    assert [(band.low, band.high) for band in found] == list(
        zip(BOUNDS, (*BOUNDS[1:], 1.0), strict=True)
    )
    assert [band for band in found if band.links] == [
        Band(LEAST, 0.1, 2, 1),
        Band(0.2, 0.3, 2, 1),
        Band(0.9, 1.0, 2, 2),
    ]


def test_what_is_scored_is_what_is_shown(mtca_dev: Dataset) -> None:
    conversation = mtca_dev.conversation(mtca_dev.ids[0])
    attributor = BlendAttributor()
    reading = attributor.read(conversation.transcript, ())
    expected = {
        (link.score, link.turn in sources)
        for target, sources in needs(conversation)
        for link in reading.explain(target).links
    }
    scored = list(scored_links([conversation], attributor))
    assert set(scored) == expected
    assert {is_source for _, is_source in scored} == {True, False}
    sure = bands(scored)[-1]
    assert sure.links >= 10
    assert sure.sources / sure.links > 0.8
