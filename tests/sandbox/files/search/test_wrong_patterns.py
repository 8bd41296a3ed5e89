"""A pattern that RE2 does not have is refused with a remedy.

Models write patterns of Python's `re`, which has more forms than RE2, the library that searches
here. RE2's patterns cannot backtrack, so that each search ends soon.
"""

import pytest

from controlplane.sandbox.files.search import compiled_pattern
from controlplane.sandbox.interface import CallError


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
def test_a_pattern_that_re2_does_not_have_is_refused_with_a_remedy(pattern, remedy):
    """The message is short, and says what to write instead."""
    with pytest.raises(CallError) as refused:
        compiled_pattern(pattern)

    assert refused.value.code == "invalid_argument"
    assert remedy in refused.value.message
    assert len(refused.value.message) < 500
