"""A recorded read is made again, if it is asked for, to compare the results.

A trial was interrupted, and goes on in a new environment. Its recorded `look` only read. The new
environment has no file, so that a read of a path fails.
"""

from controlplane.agent.evidence.tape.resuming import repeat_calls
from tests.controlplane.lifecycle.trials.repeated_calls.recorded_calls import (
    NewEnvironment,
    completed_call,
    failed_look,
)


def test_a_recorded_read_is_made_again_if_it_is_asked_for() -> None:
    look = completed_call("look")
    environment = NewEnvironment()

    (repeated,) = repeat_calls(environment, [look], repeats_reads=True)

    assert environment.called == ["look"]
    assert repeated.recorded == look
    assert repeated.error is None


def test_a_recorded_read_of_a_missing_file_is_made_again_if_it_is_asked_for() -> None:
    """`not_found` is an answer, with which the new one can be compared. Here, it is the
    same."""
    look = failed_look("not_found")
    environment = NewEnvironment()

    (repeated,) = repeat_calls(environment, [look], repeats_reads=True)

    assert environment.called == ["look"]
    assert repeated.recorded == look
    assert repeated.error is not None
