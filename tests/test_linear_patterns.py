"""No text from outside can make a pattern, or a normal form of Unicode, compute for minutes.

Each compiled pattern of the product takes little time, even on texts that repeat one or two
characters: "aaaa...", "1 1 1 ...". The short ones have 26 characters, which take an exponential
pattern such as `(a+)+b` minutes, and the long ones 20,000. `PATTERNS` has each by its place, such
as `controlplane.gates.paths.PATH.0`.
"""

import importlib
import itertools
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import re2

from controlplane.agent.opening.ranking import folded, words_of
from controlplane.benchmarks.ecom.tasks.truth import letters_and_digits, visible_text
from controlplane.benchmarks.shop.requests import RequestKind
from controlplane.benchmarks.shop.texts import normal_words
from controlplane.gates.text_folding import fold_text
from controlplane.gates.values.normal_text import normalize_text
from tests.support.timed_modules import timed_modules

# The compiled patterns of the product that meet texts from outside, by their places.
#
# Tests measure how long each takes for hostile texts. `timed_modules()` are the modules with such patterns.
# A module keeps a pattern in a variable, alone or in a list or a mapping:
#
#     PATH = (re2.compile("/.*"), ...)   in controlplane/gates/paths.py
#     -> {"controlplane.gates.paths.PATH.0": <pattern>, ...}


def values_in(variable: Any) -> list[Any]:
    """Return the values that may be patterns in a module's variable: its items, or itself."""
    # A kind of request has two patterns: for its wordings, and for what only looks like them.
    if isinstance(variable, RequestKind):
        return [variable.pattern, variable.lookalikes]
    if isinstance(variable, dict):
        return list(variable.values())
    if isinstance(variable, tuple | list):
        return list(variable)
    return [variable]


def compiled_patterns() -> dict[str, Any]:
    """Return each pattern that a timed module has in a variable, by its place.

    The last part of a place is the number of the value in its variable, from 0. A pattern that
    several modules import is in the result once.
    """
    patterns: dict[str, Any] = {}
    seen_ids: set[int] = set()
    for module_name in timed_modules():
        module = importlib.import_module(module_name)
        for name, variable in vars(module).items():
            for number, value in enumerate(values_in(variable)):
                is_pattern = isinstance(value, re.Pattern | re2._Regexp)
                if is_pattern and id(value) not in seen_ids:
                    seen_ids.add(id(value))
                    patterns[f"{module_name}.{name}.{number}"] = value
    return patterns


# Texts that are made to be slow for patterns, and the time that a pattern takes for one.

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


# A letter with thousands of marks, which Python sorts in quadratic time for a normal form of a text.

MARKED_TEXTS = [
    pytest.param("e" + "\u0301" * 30_000 + "\u0316" * 30_000, id="accents"),
    pytest.param("\uff76" + "\uff9e" * 30_000 + "\u0334" * 30_000, id="Japanese marks"),
    pytest.param("\uff76" + "\uff9e\u0334" * 30_000, id="Japanese marks in turn"),
    pytest.param("e" + "\u0897" * 30_000 + "\U000113ce" * 30_000, id="newer marks"),
]


@pytest.mark.parametrize(
    "brings_into_normal_form",
    [
        fold_text,
        normalize_text,
        normal_words,
        visible_text,
        letters_and_digits,
        folded,
        words_of,
    ],
)
@pytest.mark.parametrize("text", MARKED_TEXTS)
def test_a_letter_with_endless_marks_takes_linear_time(
    brings_into_normal_form: Callable[[str], object], text: str
) -> None:
    started_s = time.thread_time()
    brings_into_normal_form(text)

    assert time.thread_time() - started_s <= MAX_CPU_S


def test_an_accent_is_known_beside_endless_marks() -> None:
    marks = "\u0301" * 100
    text = f"e{marks}: Cafe\u0301 ½ {'═' * 60}"

    assert fold_text(text) == fold_text(f"e: Cafe ½ {'═' * 60}")
    assert f": Café ½ {'═' * 60}" in normalize_text(text).text
    assert "café" in words_of(text)
