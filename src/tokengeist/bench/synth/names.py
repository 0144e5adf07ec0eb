"""Made-up people and identifiers."""

from __future__ import annotations

import random
import string

from tokengeist.bench.synth.phrasing import wording

_FIRST_NAMES = (
    "Ada Bela Cato Dina Edda Fynn Greta Hal Ines Jory Kaya Leif Maud Nils Odile Pia Quin Rosa "
    "Sten Tilda Ugo Vera Wim Xenia Yara Zeno Bram Cleo Dov Elin Farid Gwen Hugo Imke Jun Kofi"
)
_LAST_NAMES = (
    "Abara Brandt Castell Dovey Elmore Fontein Grieg Holloway Ibarra Jansen Kowal Lindqvist Moss "
    "Nakata Okoro Pell Quist Ravel Sorrell Tamm Ueda Verhoef Winslow Ysker Zander Achterberg "
    "Bellamy Corwin Duarte Espel Fairley Gant Hartig Iversen"
)
_FIRST, _LAST = _FIRST_NAMES.split(), _LAST_NAMES.split()


def person_name(rng: random.Random) -> str:
    """A first and a last name."""
    return f"{rng.choice(_FIRST)} {rng.choice(_LAST)}"


def email(rng: random.Random, name: str) -> str:
    """An address that its owner might have."""
    first, last = name.lower().split()
    local = rng.choice(
        (f"{first}.{last}", f"{first[0]}{last}", f"{last}.{first}", f"{first}_{last}")
    )
    return (
        f"{local}{rng.randint(1, 99)}@{rng.choice(('example.org', 'example.net', 'example.com'))}"
    )


def from_pattern(rng: random.Random, pattern: str) -> str:
    """A name or identifier of the given shape.

    >>> import re
    >>> bool(re.fullmatch("LN[A-Z][0-9][0-9]", from_pattern(random.Random(5), "LN@##")))
    True
    """
    text = wording(rng, pattern)
    signs = {
        "#": lambda: rng.choice(string.digits),
        "@": lambda: rng.choice("ABCDEFGHJKLMNPRSTUVWXYZ"),
        "~": lambda: person_name(rng),
    }
    return "".join(signs[sign]() if sign in signs else sign for sign in text)
