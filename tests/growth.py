"""How work grows with its input: a ratio within one run, which a busy machine does not change."""

from __future__ import annotations

import time
from collections.abc import Callable


def growth(small: Callable[[], object], large: Callable[[], object]) -> float:
    """How many times as long the large piece of work takes, in processor time, at its best."""

    def seconds(work: Callable[[], object]) -> float:
        begun = time.process_time()
        work()
        return time.process_time() - begun

    return min(seconds(large) for _ in range(3)) / min(seconds(small) for _ in range(3))
