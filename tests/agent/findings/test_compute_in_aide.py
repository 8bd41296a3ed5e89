import pytest

from agent.findings.compute_in_aide import Computation
from sandbox.interface import CallError

FUNCTION = "tests.support.library:books_by"
FIND = ["find", {"name": "*", "root": "/books", "kind": "files", "limit": 0}]


def test_a_function_asks_until_it_has_found():
    computation = Computation(FUNCTION, {"author": "Austen"}, {})
    kind, calls, seconds = computation.turn([])
    assert (kind, calls) == ("asks", [FIND])
    assert seconds >= 0
    kind, calls, _ = computation.turn([[*FIND, {"paths": ["/books/a", "/books/b"], "truncated": False}, None]])
    assert [each[0] for each in calls] == ["read", "read"], "what does not depend on each other is asked at once"
    read = [[*call, {"content": "by Austen", "truncated": False}, None] for call in calls]
    kind, found, _ = computation.turn(read)
    assert (kind, found["value"]) == ("found", ["/books/a", "/books/b"])


def test_a_call_that_failed_is_what_the_function_cannot_read():
    computation = Computation(FUNCTION, {"author": "Austen"}, {})
    computation.turn([])
    with pytest.raises(CallError, match="failed_precondition"):
        computation.turn([[*FIND, None, ["unavailable", "down"]]])
