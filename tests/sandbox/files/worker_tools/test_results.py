"""The result of a tool is data that JSON can hold, of a bounded size.

The tools of a trial run in a worker, an isolated process. The tool `return_given` returns its
argument `result`, and fails if that is too large.
"""

import pytest

from controlplane.sandbox import FileTree
from controlplane.sandbox.interface import CallError, plain_result
from tests.sandbox.files.worker_tools.tools_of_a_world import tools_in


def test_a_result_of_a_worker_is_not_copied(worker):
    """`plain_result` copies what a call returns, unless the call says by the type of its result
    that it is plain data already. A worker's result is, and may have megabytes."""
    tools = tools_in(worker, FileTree({}), files={})
    result = tools.call("return_given", {"result": {"entries": [{"n": [1.5, None]}]}})

    plain = plain_result("return_given", lambda: result)

    assert plain["entries"] is result["entries"]


@pytest.mark.parametrize(
    "entries",
    [
        # What is around them counts, too: the list `entries` and the mapping `result`.
        pytest.param([[]] * 10_000, id="10,000 lists"),
        pytest.param([0] * 400_000, id="400,000 numbers"),
    ],
)
def test_a_result_of_too_many_parts_fails_its_call(worker, entries):
    tools = tools_in(worker, FileTree({}), files={})

    with pytest.raises(
        CallError, match="more than 10000 lists and mappings, or 400000 values"
    ):
        tools.call("return_given", {"result": {"entries": entries}})


def test_a_result_that_is_nested_too_deeply_fails_its_call(worker):
    tools = tools_in(worker, FileTree({}), files={})
    nested = []
    for _ in range(99):
        nested = [nested]
    # 100 lists, and the mapping around them: 101 levels

    with pytest.raises(CallError, match="nested deeper than 100 levels"):
        tools.call("return_given", {"result": {"x": nested}})
