"""No text from outside can make a pattern compute for minutes.

Each compiled pattern of the product takes little time, even on texts that repeat one or two
characters: "aaaa...", "1 1 1 ...". The short ones have 26 characters, which take an exponential
pattern such as `(a+)+b` minutes, and the long ones 20,000. `PATTERNS` has each by its place, such
as `controlplane.gates.paths.PATH.0`.
"""

from typing import Any

import pytest
import re2

from tests.support.product.product_patterns import compiled_patterns
from tests.support.product.slow_texts import matching_cpu_s, repeated_texts

PATTERNS = compiled_patterns()

MAX_CPU_S = 0.6
"""CPU seconds for one text: far above what a pattern in linear time takes."""


@pytest.mark.parametrize("place", PATTERNS)
def test_a_pattern_takes_linear_time(place: str) -> None:
    """A text that takes too long is tried once more, as the machine may have been busy."""
    pattern = PATTERNS[place]
    for text in repeated_texts():
        cpu_s = matching_cpu_s(pattern, text)
        if cpu_s > MAX_CPU_S:
            cpu_s = matching_cpu_s(pattern, text)

        assert cpu_s <= MAX_CPU_S, f"{text[:4]!r} repeated, {len(text)} characters"


def test_no_pattern_is_so_large_that_re2_writes_warnings_to_the_terminal() -> None:
    """RE2 compiles a pattern to a program, and writes warnings about far larger ones."""
    re2_patterns: list[Any] = []
    for pattern in PATTERNS.values():
        if isinstance(pattern, re2._Regexp):
            re2_patterns.append(pattern)

    assert re2_patterns
    for pattern in re2_patterns:
        assert pattern.programsize <= 20_000, pattern.pattern
