"""A script may read thousands of files, and cite each one, in work proportional to their number.

The evidence, what calls have shown, is collected anew after each call. If each citation had to search
it, the script would take minutes. `assert_linear(work, count)` counts the executed lines of Python: twice
as many files must not take far more than twice as many.
"""

import pytest

from controlplane.agent.evidence import EvidenceLog
from tests.sandbox.declared_calls import TOOL_SCHEMA
from tests.support.executed_work import assert_linear


@pytest.mark.parametrize(
    "folder",
    [pytest.param("/docs", id="listed paths"), pytest.param("/DOCS", id="aliases")],
)
def test_citing_each_file_after_its_read_is_linear(folder: str) -> None:
    """The environment ignores case: a read at `/DOCS/1.md` returns the file `/docs/1.md`."""

    def read_and_cite(count: int) -> None:
        log = EvidenceLog(TOOL_SCHEMA)
        for number in range(count):
            result = {"path": f"/docs/{number}.md", "content": f"fee: {number}"}
            path = f"{folder}/{number}.md"
            log.add_call("read", {"path": path}, result, error=None)
            place = log.citations.check(path, reason="it names the fee")
            assert place.spelling == f"/docs/{number}.md"

    assert_linear(read_and_cite, 100)
