"""What speaks for and against an earlier turn being a source, as named numbers, mostly 0 or 1.

What matters differs by what is explained (a call's arguments, or prose) and by who wrote the
candidate, so there are eight small lists instead of one long one. `weights.json` weighs them.
"""

from __future__ import annotations

from tokengeist.attribution.blend.book import Book
from tokengeist.attribution.blend.call_features import CallFeatures
from tokengeist.attribution.blend.need import Need
from tokengeist.attribution.blend.prose_features import ProseFeatures
from tokengeist.attribution.blend.scene import Features, Scene


def features(book: Book, need: Need) -> dict[int, tuple[str, Features]]:
    """For every candidate turn, which list of features applies to it and their values."""
    scene = Scene(book, need)
    reader = ProseFeatures(scene) if need.is_prose else CallFeatures(scene)
    kind = "prose" if need.is_prose else "call"
    return {
        page.index: (
            f"{kind}/{page.role}",
            {name: float(value) for name, value in reader.of(page).items()},
        )
        for page in scene.candidates
    }
