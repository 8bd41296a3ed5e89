"""Patterns from scripts: what the library finds is found, and nothing takes exponential time."""

from __future__ import annotations

import contextlib
import re
import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.files.line_patterns import compile_linear_enough
from sandbox.interface import CallError

STEEP = [
    *("(a+)+$", "(a*)*b", "(a|a)*b", "(a|aa)+$", "(.*a){12}$", "(x+x+)+y", "(?:a?){30}a{30}b", ".*.*.*.*=.*"),
    *("(\\w+\\s?)*!", "([a-z]+)*[0-9]", "(a|b|ab)*c", "^(([a-z])+.)+[A-Z]([a-z])+$", "a*a*a*a*a*a*b", "(?i)(A+)+b"),
    *("((a{1,9}){1,9}){1,9}b", "(a+)+\\1", "a{0,19}" * 8 + "b", "(a|aa)" * 30 + "b", f"(?={'(a|aa)' * 25}b)"),
    *("(a*)\\1\\1b", "(?P<q>a+)(?P=q)b", "(?:a{50}){0,19}b", ".*" + "a" * 900 + "b"),
]


@pytest.mark.parametrize("pattern", STEEP)
def test_a_pattern_that_would_backtrack_is_matched_in_linear_time_or_refused(pattern):
    started = time.process_time()
    with contextlib.suppress(CallError):
        matcher = compile_linear_enough(pattern)
        for line in ("a" * 400 + "!", "x" * 400, "a b " * 100, "ab" * 200):
            matcher.search(line)
    assert time.process_time() - started < 2.0


LONG = [
    *(("[ab]{900}c", "ab" * 500_000), ("a{100000}b", "a" * 1_000_000), ("(?:x|y|a)*b", "a" * 5_000_000)),
    *((".*.*b", "\n".join(["a" * 200] * 5_000)), ("(a|b)*c", "\n".join(["ab" * 900] * 5_000))),
    (
        "(?:..?){600}b",
        "\n".join("".join(chr(0x4E00 + (at * 7919 + n) % 20_000) for at in range(1000)) for n in range(50)),
    ),
]


@pytest.mark.parametrize(("pattern", "text"), LONG, ids=[pattern for pattern, _ in LONG])
def test_a_search_ends_in_time_however_long_the_lines_and_however_many(pattern, text):
    started = time.thread_time()
    with contextlib.suppress(CallError):
        matcher = compile_linear_enough(pattern)
        for line in text.split("\n"):
            matcher.search(line)
    assert time.thread_time() - started < 1.5


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


def test_a_pattern_of_many_states_takes_little_memory():
    lines = ["".join(chr(0x4E00 + (at * 7919 + n * 31) % 20_000) for at in range(5000)) for n in range(20)]
    matcher = compile_linear_enough("(?:..?){600}b")
    tracemalloc.start()
    with contextlib.suppress(CallError):
        for line in lines:
            matcher.search(line)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 40_000_000


def test_a_long_line_is_not_given_to_the_engine_that_goes_back():
    matcher = compile_linear_enough("a.*b.*c")
    started = time.process_time()
    assert matcher.search("ab" * 20_000) is False
    assert time.process_time() - started < 1.0


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


@pytest.mark.parametrize(
    "pattern",
    [
        "(?i)" + "[\x00-\uffff]" * 190,
        "(?i)([\x00-\uffff]{1,900})*x",
        "(?i)(?:(?:[\x00-\uffff]{1,90}){1,20})*x",
        "(?i)(" + "[\x00-\uffff]" * 14 + ")*x{1,900}",
    ],
)
def test_wide_ranges_take_no_time_to_compile(pattern):
    started = time.thread_time()
    with contextlib.suppress(CallError):
        compile_linear_enough(pattern).search("abc")
    assert time.thread_time() - started < 0.8
