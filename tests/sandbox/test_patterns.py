"""Patterns from scripts: what the library finds is found, and nothing takes exponential time."""

from __future__ import annotations

import contextlib
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.operations import CallError
from sandbox.patterns import QUICK_LINE, compile_linear_enough

STEEP = [
    *("(a+)+$", "(a*)*b", "(a|a)*b", "(a|aa)+$", "(.*a){12}$", "(x+x+)+y", "(?:a?){30}a{30}b", ".*.*.*.*=.*"),
    *("(\\w+\\s?)*!", "([a-z]+)*[0-9]", "(a|b|ab)*c", "^(([a-z])+.)+[A-Z]([a-z])+$", "a*a*a*a*a*a*b", "(?i)(A+)+b"),
    *("((a{1,9}){1,9}){1,9}b", "(a+)+\\1"),
]


@pytest.mark.parametrize("pattern", STEEP)
def test_a_pattern_that_would_backtrack_is_matched_in_linear_time_or_refused(pattern):
    started = time.process_time()
    with contextlib.suppress(CallError):
        matcher = compile_linear_enough(pattern)
        for line in ("a" * 400 + "!", "x" * 400, "a b " * 100, "ab" * 200):
            matcher.search(line)
    assert time.process_time() - started < 2.0


@pytest.mark.parametrize(
    ("pattern", "line", "found"),
    [
        ("error.*user.*id.*\\d+", "error: no user with id 77 here", True),
        ("error.*user.*id.*\\d+", "error: no user with id here", False),
        ("(foo|bar)+baz", "xfoobarbaz", True),
        ("^(\\w+ )*end$", "all is well end", True),
        ("^(\\w+ )*end$", "all is well end.", False),
        ("\\b(a|b)+\\b", "x ab y", True),
        ("\\b(a|b)+\\b", "xaby", False),
        ("(?i)(STOCK|price)+", "no stock", True),
        ("([^,]*,){3}x", "a,b,c,x", True),
        ("(a{2,3}){2}c", "aaaac", True),
    ],
)
def test_what_is_matched_without_going_back_is_what_the_library_finds(pattern, line, found):
    assert compile_linear_enough(pattern).search(line) is found
    assert (re.search(pattern, line) is not None) is found


PIECES = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", "\\w", "\\d", "\\b", "^", "$", "(a|b)", "(ab|a)", "(?:ba)"])
REPEATS = st.sampled_from(["", "", "*", "+", "?", "{0,2}", "{2}", "*?"])


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(PIECES, REPEATS), min_size=1, max_size=5), st.text("ab1 _é", max_size=8), st.booleans())
def test_following_all_possibilities_agrees_with_the_library(parts, line, nested):
    pattern = "".join(piece + (repeat if piece not in ("^", "$", "\\b") else "") for piece, repeat in parts)
    pattern = f"(?:{pattern})*a" if nested else f"{pattern}.*.*.*"
    assert compile_linear_enough(pattern).search(line) is (re.search(pattern, line) is not None)


def test_a_long_line_is_not_given_to_the_engine_that_goes_back():
    matcher = compile_linear_enough("a.*b.*c")
    started = time.process_time()
    assert matcher.search("ab" * 20_000) is False
    assert time.process_time() - started < 1.0
    assert QUICK_LINE[2] < 40_000


@pytest.mark.parametrize(
    "pattern", ["(", "[z-a]", "*a", "(?P<x>a)(?P<x>b)", "a" * 1_001, "(" * 200 + ")" * 150, "a{9,1}"]
)
def test_what_is_no_pattern_is_an_invalid_argument(pattern):
    with pytest.raises(CallError) as caught:
        compile_linear_enough(pattern)
    assert caught.value.code == "invalid_argument"


def test_a_back_reference_beside_nested_repetitions_is_refused():
    with pytest.raises(CallError, match="can take too long"):
        compile_linear_enough(r"(a+)+\1")
    assert compile_linear_enough(r"(ab)\1").search("xabab") is True
