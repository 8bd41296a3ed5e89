"""Patterns of scripts and tasks are those of RE2: others are refused with a remedy, and none runs away."""

import time
from itertools import chain

import pytest

from sandbox.files.file_tree import LineSearch, compiled_pattern
from sandbox.interface import CallError


@pytest.mark.parametrize(
    ("pattern", "remedy"),
    [
        (r"(?<!\w)ada", "no look-around"),
        (r'"id"(?!\s*:)', "no look-around"),
        (r"(\w)\1", "no back references"),
        (r"(?P<x>a)(?P=x)", "no back references"),
        ("a++", "no possessive or atomic groups"),
        ("(?>a)b", "no possessive or atomic groups"),
        (r"end\Z", r"as \z"),
        (r"\u20ac", r"\x{20AC}"),
        ("(", "missing )"),
        ("a{1001}", "the syntax of RE2"),
        ("\ud800", "lone surrogate"),
        ("(?:[ab]{30}c){30}" * 9, "too large"),
        ("a" * 4_001, "at most 4000 characters"),
    ],
)
def test_a_pattern_that_is_not_re2_is_refused_with_a_remedy(pattern, remedy):
    with pytest.raises(CallError) as refused:
        compiled_pattern(pattern)
    assert refused.value.code == "invalid_argument"
    assert remedy in refused.value.message
    assert len(refused.value.message) < 500


def test_a_search_ends_at_its_deadline():
    search, text = LineSearch("(a|b)*a(a|b){300}c", 0.2), b"ab" * 1_000 + b"\n"
    began = time.process_time()
    assert list(chain.from_iterable(search.lines_of(text) for _ in range(100_000))) == []
    assert search.is_late
    assert time.process_time() - began < 20
