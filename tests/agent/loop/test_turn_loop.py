import threading
import time
from collections.abc import Callable

import pytest

from agent.events import ResumeState, StepDone
from agent.loop import BudgetLimits
from agent.loop.turn_loop import Budget, ContextMeter, ModelRetry, Repetition
from agent.model import ModelError, Reply
from agent.retry import RetryBudget
from sandbox import ForkServer
from tests.support.phonebook import Phonebook
from tests.support.scored_journal import records_of
from tests.support.single_trial import Solved, solve, step


def test_refused_scripts_are_refunded_three_times_and_unusable_replies_twice() -> None:
    budget = Budget(BudgetLimits())
    for _ in range(5):
        budget.spend(script_refused=True)
    assert budget.spent == 2
    for _ in range(5):
        budget.spend(reply_unusable=True)
    assert budget.spent == 5


def test_the_model_is_told_before_the_bound_and_the_trial_ends_at_it() -> None:
    meter = ContextMeter(1000)
    meter.add("x" * 2100)
    meter.count_request(700, 0, "")
    assert (meter.exhausted, meter.notice("")) == ("", ())
    (told,) = meter.notice("z" * 210)
    assert "200 tokens" in told
    meter.add("z" * 900)
    assert "1,000 tokens (--max-context-tokens)" in meter.exhausted


def test_a_first_request_that_is_too_long_says_what_helps() -> None:
    meter = ContextMeter(1000)
    meter.add("x" * 9000)
    assert "about 3,000; lower --initial-prompt-chars" in meter.exhausted


def test_a_script_that_runs_without_new_output_is_told_and_then_ends_the_trial(server: ForkServer) -> None:
    done = play(server, *[step("print(1)")] * 6)
    fed = ["".join(one.feedback) for one in done.events if isinstance(one, StepDone)]
    assert [at for at, text in enumerate(fed, 1) if "3 times in a row with the same output" in text] == [3]
    assert len(fed) == 5
    assert "the same script 5 times in a row, each time with the same output" in done.reason
    seen = Repetition(3, 5)
    for at in range(9):
        seen.count_run("print(n)", f"{at // 2}")
        assert seen.reason == ""


def asked_in(mode: str, text: str = "no JSON") -> Reply:
    return Reply(text=text, reply_mode=mode)


def play(server: ForkServer, *replies: Reply | str, resume_state: ResumeState | None = None) -> Solved:
    return solve(Phonebook(0.0), "ada-0", replies, server, resume_state=resume_state)


def test_ten_in_a_row_end_the_trial_with_that_reason_and_a_resumed_one_counts_on(server: ForkServer) -> None:
    whole = play(server, *[asked_in("schema")] * 12)
    assert whole.reason == "every reply held no JSON object"
    assert len(whole.steps) == 10
    cut = [event for event in whole.events if getattr(event, "step", 0) <= 7]
    state = records_of(cut)["ada-0"]
    resumed = play(server, *[asked_in("schema")] * 12, resume_state=state)
    assert (resumed.reason, len(resumed.steps)) == (whole.reason, 3)


PASSING = ModelError("down", retryable=True, affects_all=True)


def failing(times: int, error: ModelError = PASSING) -> Callable[[], Reply]:
    """Return something to ask that fails so often and then replies."""
    asked = iter(range(1_000_000))

    def ask() -> Reply:
        if next(asked) < times:
            raise error
        return Reply(text="here")

    return ask


def quick(**more: object) -> ModelRetry:
    return ModelRetry(longest_pause_s=0.01, **more)


def test_the_retries_of_a_run_are_bounded_over_all_its_trials() -> None:
    retries, told = RetryBudget(20), []
    errors: list[ModelError] = []

    def trial() -> None:
        with pytest.raises(ModelError) as caught:
            quick(budget=retries).ask(failing(1_000_000), told.append)
        errors.append(caught.value)

    threads = [threading.Thread(target=trial) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 20
    assert len(errors) == 6
    assert all("used up its 20 retries (--model-retries)" in str(error) and error.affects_all for error in errors)


def test_a_pause_that_the_endpoint_names_holds_for_every_trial_of_the_run() -> None:
    retries, asked = RetryBudget(20), []
    slow_down = ModelError("slow down", retryable=True, affects_all=True, retry_after_s=0.4)
    first = failing(1, slow_down)
    started = time.monotonic()
    holder = threading.Thread(target=lambda: ModelRetry(budget=retries).ask(first, lambda text: None))
    holder.start()
    while not retries.paused_s():
        time.sleep(0.005)
        assert time.monotonic() - started < 5

    def other() -> Reply:
        asked.append(time.monotonic() - started)
        return Reply(text="here")

    ModelRetry(budget=retries).ask(other, lambda text: None)
    holder.join()
    assert asked[0] >= 0.4


@pytest.mark.parametrize("named", [None, 60.0])
def test_a_stop_ends_the_pause_at_once_and_nothing_more_is_asked(named: float | None) -> None:
    stop, asked = threading.Event(), []
    error = ModelError("down", retryable=True, affects_all=True, retry_after_s=named)

    def ask() -> Reply:
        asked.append(stop.is_set())
        raise error

    threading.Timer(0.1, stop.set).start()
    started = time.monotonic()
    with pytest.raises(ModelError):
        ModelRetry(stop=stop, longest_pause_s=60).ask(ask, lambda text: None)
    assert time.monotonic() - started < 2
    assert True not in asked
