"""Trees of Python built by many threads at the same time."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor

from controlplane.gates.python_syntax import parse_expression, parse_program

THREADS = 4
NESTED = "(" * 60 + "1" + " + 1)" * 60


def test_threads_build_trees_at_the_same_time() -> None:
    def build(_: int) -> int:
        gc.collect(0)
        parse_program(f"total = {NESTED}")
        return len(parse_expression(NESTED)._fields)

    with ThreadPoolExecutor(THREADS) as threads:
        assert list(threads.map(build, range(400))) == [1] * 400
