"""Transient failures are retried within a limit, with pauses that grow or that a server names."""

import threading
import time

import pytest

from agent.retry import FailedAttempt, RetryBudget, RetryPolicy, call_with_retry


class Down(Exception):
    retry_after_s: float | None = None


class Script:
    """Fails with these errors in turn and then succeeds; notes the pauses and sits out none."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.failed: list[FailedAttempt] = []

    def call(self) -> str:
        if self.errors:
            raise self.errors.pop(0)
        return "here"

    def pause(self, failed: FailedAttempt) -> bool:
        self.failed.append(failed)
        return False

    def run(self, policy: RetryPolicy, **more: object) -> str:
        return call_with_retry(
            self.call, policy, is_transient=lambda error: isinstance(error, Down), **{"pause": self.pause} | more
        )


def named(seconds: float) -> Down:
    error = Down("slow down")
    error.retry_after_s = seconds
    return error


def test_pauses_grow_up_to_the_longest() -> None:
    script = Script(*[Down() for _ in range(200)])
    assert script.run(RetryPolicy(1_000, first_pause_s=1.0, longest_pause_s=8.0)) == "here"
    assert [each.number for each in script.failed] == list(range(1, 201))
    for number, most_s in ((1, 1.0), (2, 2.0), (3, 4.0), (4, 8.0), (200, 8.0)):
        assert 0 <= script.failed[number - 1].pause_s <= most_s
    assert max(each.pause_s for each in script.failed) > 4


def test_what_is_not_transient_is_raised_at_once() -> None:
    script = Script(Down(), ValueError("wrong"))
    with pytest.raises(ValueError, match="wrong"):
        script.run(RetryPolicy(10))
    assert len(script.failed) == 1


def test_a_pause_that_the_server_names_is_obeyed_unless_it_is_none() -> None:
    script = Script(named(3.0), named(0.04), named(0.0))
    script.run(RetryPolicy(10, first_pause_s=0.01))
    assert script.failed[0].pause_s == 3.0
    assert all(each.pause_s <= 0.04 for each in script.failed[1:])


def test_a_named_pause_beyond_the_limit_is_not_begun() -> None:
    script = Script(named(11.0))
    with pytest.raises(Down):
        script.run(RetryPolicy(10))
    assert not script.failed


def test_the_last_attempt_starts_at_the_limit() -> None:
    stop, began = threading.Event(), time.monotonic()
    script = Script(*[Down() for _ in range(10_000)])
    with pytest.raises(Down):
        script.run(RetryPolicy(0.3, first_pause_s=0.1, longest_pause_s=50), pause=lambda each: stop.wait(each.pause_s))
    assert 0.3 <= time.monotonic() - began < 2


def test_excluded_seconds_do_not_count() -> None:
    waited = [0.0]

    def pause(failed: FailedAttempt) -> bool:
        waited[0] += 0.15
        time.sleep(0.15)
        return False

    script = Script(Down(), Down(), Down())
    assert script.run(RetryPolicy(0.1), pause=pause, excluded_s=lambda: waited[0]) == "here"


def test_nobody_retries_what_nobody_wants() -> None:
    script = Script(Down(), Down())
    with pytest.raises(Down):
        script.run(RetryPolicy(10), pause=lambda failed: True)
    assert len(script.errors) == 1


def test_a_budget_is_spent_by_retries_and_restored_by_successes() -> None:
    budget = RetryBudget(2)
    assert [budget.take() for _ in range(4)] == [True, True, False, False]
    budget.give_back()
    assert [budget.take(), budget.take()] == [True, False]
    for _ in range(5):
        budget.give_back()
    assert [budget.take() for _ in range(3)] == [True, True, False]


def test_the_longest_pause_of_a_budget_holds() -> None:
    budget = RetryBudget(1)
    assert budget.paused_s() == 0
    budget.pause(60)
    budget.pause(1)
    assert 59 < budget.paused_s() <= 60
