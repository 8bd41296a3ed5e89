"""Recorded calls that are made again, because the environment in which they were made is gone.

A trial put a file into its environment, and was interrupted. It goes on in a new environment, which
lacks the file. So its recorded calls are made again:

| recorded call | made again |
|---|---|
| `put` with a result: it changed something | always |
| `look` with a result: it only read | if the caller asks for reads, to compare the results |
| `put` that was cut off: nobody knows what it did | never, but it is listed |
"""

from collections.abc import Mapping

import pytest

from controlplane.agent.events import CallFailure, CallRecord
from controlplane.agent.evidence.tape.resuming.repeated_calls import repeat_calls
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Effect,
    Plain,
    ToolSchema,
)

LOOK = FILE_OPERATIONS[0]._replace(name="look", effect=Effect.READS)
"""An operation that only reads."""
PUT = LOOK._replace(name="put", effect=Effect.ACTS)
"""An operation that changes something."""
FIND_ALL = LOOK._replace(name="find_all", effect=Effect.NONE, finds="a.module:function")
"""A function of the benchmark: it only computes, from results of other calls."""


class NewEnvironment:
    """Has no file, so that calls with a path fail, and keeps the names of the called operations."""

    tool_schema = ToolSchema((LOOK, PUT, FIND_ALL))

    def __init__(self) -> None:
        self.called: list[str] = []

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        self.called.append(operation)
        if "path" in arguments:
            raise CallError("not_found", "there is no such file")
        return {"number": len(self.called)}


def completed_call(operation: str) -> CallRecord:
    """Return the record of a call that returned `{"number": 1}`."""
    return CallRecord(operation=operation, arguments={}, result={"number": 1})


either_way = pytest.mark.parametrize(
    "repeats_reads",
    [
        pytest.param(False, id="reads left out"),
        pytest.param(True, id="reads asked for"),
    ],
)
"""Runs a test without and with the option to make recorded reads again, too."""


@either_way
def test_a_recorded_change_is_made_again(repeats_reads: bool) -> None:
    put = completed_call("put")
    environment = NewEnvironment()

    (repeated,) = repeat_calls(environment, [put], repeats_reads=repeats_reads)

    assert environment.called == ["put"]
    assert repeated.recorded == put
    assert repeated.error is None


def failed_look(code: str) -> CallRecord:
    """Return the record of a read of the file `a` that failed with this error code."""
    return CallRecord(
        operation="look",
        arguments={"path": "a"},
        state="failed",
        error=CallFailure(code=code, message=""),
    )


class TestRepeatedReads:
    """A recorded read is made again only if it is asked for, to compare the results.

    `look` only reads. The new environment has no file, so that a read of a path fails.
    """

    @pytest.mark.parametrize(
        "read",
        [
            pytest.param(completed_call("look"), id="a result"),
            pytest.param(failed_look("not_found"), id="no such file"),
        ],
    )
    def test_a_recorded_read_is_left_out_if_it_is_not_asked_for(
        self, read: CallRecord
    ) -> None:
        """It changed nothing, so the new environment does not need it."""
        environment = NewEnvironment()

        assert list(repeat_calls(environment, [read], repeats_reads=False)) == []
        assert environment.called == []

    def test_a_recorded_read_is_made_again_if_it_is_asked_for(self) -> None:
        look = completed_call("look")
        environment = NewEnvironment()

        (repeated,) = repeat_calls(environment, [look], repeats_reads=True)

        assert environment.called == ["look"]
        assert repeated.recorded == look
        assert repeated.error is None

    def test_a_recorded_read_of_a_missing_file_is_made_again_if_it_is_asked_for(
        self,
    ) -> None:
        """`not_found` is an answer, with which the new one can be compared. Here, it is the
        same."""
        look = failed_look("not_found")
        environment = NewEnvironment()

        (repeated,) = repeat_calls(environment, [look], repeats_reads=True)

        assert environment.called == ["look"]
        assert repeated.recorded == look
        assert repeated.error is not None

    def test_calls_are_made_again_in_their_order(self) -> None:
        calls = [
            completed_call("look"),
            completed_call("put"),
            failed_look("not_found"),
        ]
        environment = NewEnvironment()

        repeated_calls = list(repeat_calls(environment, calls, repeats_reads=True))

        assert environment.called == ["look", "put", "look"]
        assert [repeated.recorded for repeated in repeated_calls] == calls


UNFINISHED_PUT = CallRecord(operation="put", arguments={}, state="under_way")
LOST_PUT = CallRecord(
    operation="put",
    arguments={"path": "a"},
    state="lost",
    error=CallFailure(code="unknown", message=""),
)
"""A change that had begun when the trial was cut off, and one whose reply was lost."""


class TestUnfinishedCalls:
    """A call that was not answered, or was cut off, is not made again.

    `look` reads and `put` changes something. A record of a call has the state "failed", with
    the code of its error, "under_way" if the trial was cut off, or "lost" if its reply was.
    Each test runs without and with the option `repeats_reads`, to make recorded reads again.
    """

    @either_way
    @pytest.mark.parametrize(
        "call",
        [
            pytest.param(failed_look("unavailable"), id="read that reached nobody"),
            pytest.param(completed_call("find_all"), id="function of the benchmark"),
            pytest.param(completed_call("server.tool"), id="tool of another server"),
        ],
    )
    def test_a_call_that_the_environment_did_not_answer_is_left_out(
        self, call: CallRecord, repeats_reads: bool
    ) -> None:
        """Its recorded outcome says nothing about the environment."""
        environment = NewEnvironment()

        assert (
            list(repeat_calls(environment, [call], repeats_reads=repeats_reads)) == []
        )
        assert environment.called == []

    @either_way
    @pytest.mark.parametrize(
        "put",
        [
            pytest.param(UNFINISHED_PUT, id="under way"),
            pytest.param(LOST_PUT, id="reply lost"),
        ],
    )
    def test_a_change_that_was_cut_off_is_listed_and_not_made_again(
        self, put: CallRecord, repeats_reads: bool
    ) -> None:
        """It may have happened, and must not happen twice."""
        environment = NewEnvironment()

        (listed,) = repeat_calls(environment, [put], repeats_reads=repeats_reads)

        assert environment.called == []
        assert listed.recorded == put
        assert listed.difference == "was cut off, so its end state is not known"
