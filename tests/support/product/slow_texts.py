"""Texts that are made to be slow for patterns, and the time that a pattern takes for one."""

import itertools
import time
from collections.abc import Iterator
from typing import Any

CHARACTERS = "aAz19_ \t\n.,-/\\\"'`()[]{}<>|:;=+*#@%$&?!é漢\u00a0\u0301"
"""Characters that texts repeat."""

PAIRS = [first + second for first, second in itertools.product('a1_ \n.-"(', repeat=2)]
"""Pairs of characters that texts repeat: `aa`, `a1`, `a_`, ..."""

TEXT_SIZES = (26, 20_000)
"""Characters of a text. An exponential pattern is slow at 26, a quadratic one at 20,000."""


def repeated_texts() -> Iterator[str]:
    """Yield texts that repeat one or two characters, "aaaa...", "1 1 1 ...": the short ones first.

    The zero at the end of each keeps a pattern from matching the whole text at once.
    """
    for size in TEXT_SIZES:
        for repeated in (*CHARACTERS, *PAIRS):
            count = size // len(repeated)
            yield repeated * count + "\0"


def matching_cpu_s(pattern: Any, text: str) -> float:
    """Return the CPU seconds to find the first 100 matches in a text, and to match all of it."""
    searched: Any = text
    if isinstance(pattern.pattern, bytes):
        searched = text.encode()
    started_s = time.thread_time()
    for match in itertools.islice(pattern.finditer(searched), 100):
        assert match is not None
    pattern.fullmatch(searched)
    return time.thread_time() - started_s
