"""Syntax trees of Python are built by many threads at the same time.

CPython 3.11 keeps the depth of the tree under construction in one place for all threads, so that
`ast.parse` may end with a `SystemError` when two threads call it at once. The project's own
functions build one tree after the other.
"""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor

from controlplane.gates.python_syntax import parse_expression, parse_program

THREAD_COUNT = 4
PARSE_COUNT = 400
NESTED_SUM = "(" * 60 + "1" + " + 1)" * 60
"""`((…(1 + 1)… + 1) + 1)`, 60 levels deep."""


def test_threads_build_trees_at_the_same_time() -> None:
    """Four threads parse the nested sum 400 times, as a program and as an expression."""

    def parse_nested_sum(_: int) -> tuple[str, ...]:
        gc.collect(0)  # makes threads switch in the middle of a parse more often
        parse_program(f"total = {NESTED_SUM}")
        return parse_expression(NESTED_SUM)._fields

    with ThreadPoolExecutor(THREAD_COUNT) as threads:
        fields_of_trees = list(threads.map(parse_nested_sum, range(PARSE_COUNT)))

    assert len(fields_of_trees) == PARSE_COUNT
    for fields in fields_of_trees:
        assert fields == ("body",)
