"""How to annotate: which server and models, how patiently, and what tokens cost."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit

from tokengeist.errors import RunError

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost, read and written."""

    read: float = 0.0
    written: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Price:
        """A price such as `2.50/10`.

        >>> Price.parse("2.50/10")
        Price(read=2.5, written=10.0)
        """
        try:
            read, written = (float(part) for part in text.split("/"))
        except ValueError:
            raise RunError(
                f"a price is READ/WRITTEN per million tokens, such as 2.50/10, not '{text}'"
            ) from None
        if not (0 <= read < float("inf") and 0 <= written < float("inf")):
            raise RunError(f"a price is finite and not negative, unlike '{text}'")
        return cls(read, written)


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """An OpenAI-compatible server, and how to treat it."""

    base_url: str
    api_key: str | None = field(default=None, repr=False)
    """From the environment. It leaves this object in one request header and nowhere else."""
    timeout: float = 300.0
    """Seconds for one call, from the first byte sent to the last byte received."""
    tries: int = 6
    """How often a call is made before a busy or broken server is given up."""
    concurrency: int = 4
    stream: bool = False
    temperature: float | None = None
    max_tokens: int | None = None
    longest_wait: float = 120.0
    """Most seconds between two tries, whatever a server asks for."""
    first_wait: float = 1.0

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise RunError(
                f"'{self.public_url}' is no address of a server; it looks like "
                "https://api.example.com/v1 or http://127.0.0.1:8000/v1"
            )

    @property
    def public_url(self) -> str:
        """The address without a user name, a password or a query, for messages and files."""
        parts = urlsplit(self.base_url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))

    @property
    def is_loopback(self) -> bool:
        """Whether the server runs on this machine."""
        return urlsplit(self.base_url).hostname in LOOPBACK


@dataclass(frozen=True, slots=True)
class Models:
    """Which model annotates, which one is asked when it fails, and their prices."""

    model: str
    escalate: str | None = None
    price: Price = Price()
    escalate_price: Price = Price()
    retries: int = 3
    """How often a model may put right an answer that breaks the rules (paper, section 5.2)."""

    def price_of(self, model: str) -> Price:
        """The price of one of the two."""
        return self.escalate_price if model == self.escalate else self.price


def key_from_environment(name: str) -> str | None:
    """The API key in an environment variable; None where it is unset or empty."""
    key = os.environ.get(name, "").strip()
    if key and (not key.isascii() or not key.isprintable() or " " in key):
        raise RunError(f"the environment variable {name} does not hold a usable API key")
    return key or None
