"""A call of a worker that crashes, hangs or takes too much memory fails alone, and says why.

A worker runs single functions on foreign data in an isolated process, each for at most 0.2 s of
CPU:

    run(worker, "echo", 1)      # 1
    failure(worker, "die")      # CallError: internal: … died …
    run(worker, "echo", 2)      # 2, from a new process
"""

import pytest

from tests.sandbox.parent.workers.worker_calls import failure, run


@pytest.mark.parametrize("value", [None, 1, 1.5, "ä\x00", [1, [2]], {"a": {"b": []}}])
def test_plain_values_reach_a_worker_and_come_back_unchanged(worker, value):
    assert run(worker, "echo", value) == value


ENDLESS_SQL = """
    with recursive n(x) as (select 1 union all select x + 1 from n) select sum(x) from n
"""


@pytest.mark.parametrize(
    ("function", "arguments", "code", "message"),
    [
        pytest.param(
            "raise_type_error",
            (),
            "internal",
            "TypeError: no such thing",
            id="it raises an exception",
        ),
        pytest.param(
            "nan", (), "internal", "not JSON compliant", id="its result is not JSON"
        ),
        pytest.param("missing", (), "internal", "missing", id="there is no function"),
        pytest.param(
            "match",
            ("(a+)+$", "a" * 50 + "b"),
            "resource_exhausted",
            "0.2 s of CPU",
            id="a regular expression backtracks",
        ),
        pytest.param(
            "query",
            (ENDLESS_SQL,),
            "resource_exhausted",
            "0.2 s of CPU",
            id="SQL does not end",
        ),
        pytest.param(
            "loop", (), "resource_exhausted", "0.2 s of CPU", id="a loop does not end"
        ),
        pytest.param(
            "grow",
            (2_000,),  # megabytes
            "resource_exhausted",
            "memory",
            id="it takes too much memory",
        ),
        pytest.param("die", (), "internal", "died", id="its process dies"),
    ],
)
def test_a_call_that_fails_says_why_and_the_next_call_works(
    worker, function, arguments, code, message
):
    error = failure(worker, function, *arguments)

    assert error.code == code
    assert message in error.message
    assert run(worker, "echo", "still here") == "still here"
