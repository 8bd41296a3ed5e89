"""Counting lines tells linear from quadratic work."""

import pytest

from tests.support.executed_work import assert_linear, executed_lines


def visit_each(size: int) -> None:
    for _ in range(size):
        pass


def test_each_turn_of_a_loop_counts_as_a_line() -> None:
    """Ten turns more are at least ten lines more."""
    lines_of_short_loop = executed_lines(lambda: visit_each(5))
    lines_of_long_loop = executed_lines(lambda: visit_each(15))

    assert lines_of_long_loop >= lines_of_short_loop + 10


def test_the_turns_of_a_comprehension_count() -> None:
    lines_of_short_list = executed_lines(lambda: [number for number in range(5)])
    lines_of_long_list = executed_lines(lambda: [number for number in range(15)])

    assert lines_of_long_list >= lines_of_short_list + 10


def test_a_single_loop_is_linear() -> None:
    assert_linear(visit_each, 100)


def visit_each_pair(size: int) -> None:
    for _ in range(size):
        visit_each(size)


def test_a_loop_in_a_loop_is_not_linear() -> None:
    with pytest.raises(AssertionError):
        assert_linear(visit_each_pair, 100)
