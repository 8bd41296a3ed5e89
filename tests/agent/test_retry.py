"""Requests to models that fail, and are sent again: when, how often, and what the user is told.

The tests have a clock of their own, which goes on only when a trial waits:

    request = Requests(clock, [busy(), busy(), "here"])
    trial.reply_to(requests.send, "solve", math.inf)   -> the reply "here", after two pauses
"""

import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from controlplane.agent import retry
from controlplane.agent.limits import spending
from controlplane.agent.limits.spending import LeftOpen, Spending
from controlplane.agent.model import (
    Abandoned,
    BadReply,
    ModelError,
    OutOfTime,
    Reply,
    RetriesExhausted,
    Unconnected,
)
from controlplane.agent.retry import (
    RetryBudget,
    RetryLimits,
    RunBudget,
    TrialRetry,
)

# A clock that goes on when a trial waits for its event `stop`.


class Clock:
    """The time, and what happens at certain moments."""

    def __init__(self) -> None:
        self.now_s = 1_000.0
        self.events: list[tuple[float, Callable[[], None]]] = []
        """What happens, and when."""

    def at(self, seconds: float, event: Callable[[], None]) -> None:
        """Let something happen this many seconds from now."""
        self.events.append((self.now_s + seconds, event))

    def advance(self, seconds: float) -> None:
        ends_at = self.now_s + seconds
        for event in sorted(self.events, key=lambda event: event[0]):
            moment, happen = event
            if moment <= ends_at:
                self.now_s = max(self.now_s, moment)
                self.events.remove(event)
                happen()
        self.now_s = ends_at


class Stop:
    """The event that stops a trial. A wait for it lets the time pass."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.is_stopped = False

    def set(self) -> None:
        self.is_stopped = True

    def is_set(self) -> bool:
        return self.is_stopped

    def wait(self, timeout: float) -> bool:
        if not self.is_stopped:
            self.clock.advance(timeout)
        return self.is_stopped


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return a clock by which requests are sent again, and by which a run's time is over."""
    clock = Clock()
    time = SimpleNamespace(monotonic=lambda: clock.now_s)
    monkeypatch.setattr(retry, "time", time)
    monkeypatch.setattr(spending, "time", time)
    return clock


# A trial that sends requests, with what the user is told and what does not count as its time.


class Trial:
    """One trial of a run."""

    def __init__(self, clock: Clock, budget: RunBudget) -> None:
        self.clock = clock
        self.stop = Stop(clock)
        self.notices: list[str] = []
        self.retries: list[str] = []
        self.waited_s = 0.0
        """Seconds that do not count as the trial's time."""
        self.sent_at: list[float] = []
        """When each try was made, in seconds from the beginning."""
        self.began_at = clock.now_s
        stop: Any = self.stop
        self.retry = TrialRetry(budget, stop, self._exclude, self._notice)

    def _exclude(self, seconds: float) -> None:
        self.waited_s += seconds

    def _notice(self, text: str, *, retry: bool = False) -> None:
        (self.retries if retry else self.notices).append(text)

    def ask(
        self,
        outcomes: Sequence[ModelError | str] = (),
        *,
        role: str = "solve",
        longest_wait_s: float = math.inf,
        request_s: float = 0.0,
    ) -> str:
        """Return the text of the reply. The last outcome repeats for ever. A try takes `request_s`."""
        remaining = list(outcomes)

        def send() -> Reply:
            self.sent_at.append(self.clock.now_s - self.began_at)
            self.clock.advance(request_s)
            outcome = remaining.pop(0) if len(remaining) > 1 else remaining[0]
            if isinstance(outcome, ModelError):
                raise outcome
            return Reply(text=outcome)

        return self.retry.reply_to(send, role, longest_wait_s).text


def run_budget(
    max_retries: int = 1_000,
    patience_s: float = 300.0,
    **more: Any,
) -> RunBudget:
    """Return what the trials of a run share."""
    retries = RetryBudget(RetryLimits(max_retries, patience_s, **more))
    return RunBudget(retries, Spending())


def busy(retry_after_s: float | None = None) -> ModelError:
    return ModelError(
        "busy", retryable=True, affects_all=True, retry_after_s=retry_after_s
    )


def unconnected() -> ModelError:
    return Unconnected("refused", retryable=True, affects_all=True)


# Which failures are followed by another try.


def test_a_failure_for_a_moment_is_told_and_the_request_is_sent_again(
    clock: Clock,
) -> None:
    trial = Trial(clock, run_budget())

    assert trial.ask([busy(), busy(), "here"]) == "here"

    assert len(trial.retries) == 2
    assert trial.retries[1].startswith("busy; asking again in ")
    assert trial.retries[1].endswith(" s (try 3)")


def test_a_permanent_failure_is_not_repeated(clock: Clock) -> None:
    trial = Trial(clock, run_budget())
    refusal = ModelError("the key is refused", affects_all=True)

    with pytest.raises(ModelError) as caught:
        trial.ask([refusal])

    assert caught.value is refusal
    assert len(trial.sent_at) == 1


def test_a_model_that_replies_with_nonsense_five_times_is_given_up(
    clock: Clock,
) -> None:
    trial = Trial(clock, run_budget())

    with pytest.raises(ModelError, match="nonsense; given up after 5 such replies"):
        trial.ask([BadReply("nonsense", retryable=True)])

    assert len(trial.sent_at) == 5


def test_the_failed_tries_and_pauses_do_not_count_as_the_trials_time(
    clock: Clock,
) -> None:
    """Two tries of 5 s fail; the third one takes 5 s, too, which are all that counts."""
    trial = Trial(clock, run_budget())
    began_at = clock.now_s

    trial.ask([busy(), busy(), "here"], request_s=5)

    assert clock.now_s - began_at - trial.waited_s == pytest.approx(5)


# How long a request is sent again, and whose number that is.


def test_a_step_is_given_up_when_its_patience_is_over(clock: Clock) -> None:
    trial = Trial(clock, run_budget())

    with pytest.raises(ModelError) as caught:
        trial.ask([busy()])

    tries = len(trial.sent_at)
    assert str(caught.value) == (
        f"busy; given up at try {tries}: a step waits 300 s (--model-patience)"
    )
    assert trial.sent_at[-1] == pytest.approx(300)
    assert caught.value.affects_all


def test_a_pause_that_is_too_long_is_the_reason_to_give_up(clock: Clock) -> None:
    """No second has been waited. The user learns which number is too small."""
    trial = Trial(clock, run_budget())

    with pytest.raises(ModelError) as caught:
        trial.ask([busy(retry_after_s=600)])

    assert str(caught.value) == (
        "busy; given up at try 1: the endpoint asks to wait 600 s, "
        "and a step waits 300 s in all (--model-patience)"
    )
    assert trial.sent_at == [0]


def test_a_request_that_the_trial_can_do_without_names_no_option(clock: Clock) -> None:
    """Its 5 s are the product's own, so no option changes them."""
    trial = Trial(clock, run_budget())

    with pytest.raises(ModelError) as caught:
        trial.ask([busy()], role="classify", longest_wait_s=5)

    assert str(caught.value).endswith(": a request in the role classify waits 5 s")
    assert trial.sent_at[-1] == pytest.approx(5)


def test_a_role_has_the_patience_of_its_profile(clock: Clock) -> None:
    trial = Trial(clock, run_budget(patience_s_by_role={"grade": 80.0}))

    with pytest.raises(ModelError) as caught:
        trial.ask([busy()], role="grade")

    assert str(caught.value).endswith(
        ": a request in the role grade waits 80 s (--model-patience)"
    )


def test_an_endpoint_that_never_replied_and_takes_no_connection_is_given_up_early(
    clock: Clock,
) -> None:
    trial = Trial(clock, run_budget(unconnected_s=30.0))

    with pytest.raises(ModelError) as caught:
        trial.ask([unconnected()])

    assert str(caught.value).endswith(
        ": a run that never had a reply waits 30 s (--model-patience)"
    )
    assert trial.sent_at[-1] == pytest.approx(30)


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(["here"], id="it has replied before"),
        pytest.param([], id="it never replied, but is only busy"),
    ],
)
def test_an_endpoint_that_may_come_back_is_waited_for(
    clock: Clock, first: list[str]
) -> None:
    budget = run_budget(unconnected_s=30.0)
    for reply in first:
        Trial(clock, budget).ask([reply])
    trial = Trial(clock, budget)

    with pytest.raises(ModelError, match="a step waits 300 s"):
        trial.ask([unconnected() if first else busy()])


# What the trials of a run share: its retries, and a pause that an endpoint asks for.


def test_the_trials_of_a_run_share_their_retries(clock: Clock) -> None:
    """Six trials share 8 retries, while the endpoint is down for all of them.

    So few end before the patience of a step, however long chance makes the pauses.
    """
    budget = run_budget(max_retries=8)
    trials = [Trial(clock, budget) for _ in range(6)]

    for trial in trials:
        with pytest.raises(RetriesExhausted) as caught:
            trial.ask([busy()])
        assert str(caught.value) == (
            "busy; the run has used up its 8 retries (--model-retries)"
        )
        assert caught.value.affects_all

    assert sum(len(trial.retries) for trial in trials) == 8


def test_a_reply_gives_one_retry_back(clock: Clock) -> None:
    budget = run_budget(max_retries=1)

    for _ in range(10):
        assert Trial(clock, budget).ask([busy(), "here"]) == "here"


def test_a_pause_that_the_endpoint_asks_for_holds_for_every_trial_and_is_told(
    clock: Clock,
) -> None:
    budget = run_budget()
    first = Trial(clock, budget)
    clock.at(1, first.stop.set)
    with pytest.raises(Abandoned):
        first.ask([busy(retry_after_s=20)])

    second = Trial(clock, budget)
    second.ask(["here"])

    assert second.sent_at == [pytest.approx(19)]
    assert second.notices == [
        "the model endpoint has asked all trials to wait; asking again in 19.0 s"
    ]
    assert second.waited_s == pytest.approx(19)


def test_a_long_pause_is_told_before_the_trial_counts_as_stuck(clock: Clock) -> None:
    trial = Trial(clock, run_budget())

    trial.ask([busy(retry_after_s=200), "here"])

    assert len(trial.retries) == 1
    assert len(trial.notices) == 4
    assert trial.notices[0].startswith("busy; asking again in 15")


# A pause ends at once if the user stops the run, or if the run has spent its budget.


@pytest.mark.parametrize(
    "retry_after_s",
    [
        pytest.param(None, id="pause of the product"),
        pytest.param(250, id="pause that the endpoint asks for"),
    ],
)
def test_a_stop_of_the_run_ends_a_pause_and_nothing_more_is_requested(
    clock: Clock, retry_after_s: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry.random, "uniform", lambda low, high: high)
    trial = Trial(clock, run_budget())
    clock.at(0.5, trial.stop.set)

    with pytest.raises(Abandoned):
        trial.ask([busy(retry_after_s)])

    assert trial.sent_at == [0]
    assert clock.now_s - trial.began_at < 1


@pytest.mark.parametrize("asks_first", [True, False])
def test_a_spent_budget_ends_a_pause(clock: Clock, *, asks_first: bool) -> None:
    """Another trial gets a reply that reaches the limit, while this one waits, or before that."""
    budget = run_budget()
    trial = Trial(clock, budget)
    if asks_first:
        failure = busy(retry_after_s=250)
    else:
        budget.retries.pause(250)
        failure = busy()
    clock.at(10, lambda: budget.spending.end.declare("the run has spent $5"))

    with pytest.raises(LeftOpen, match=r"the run has spent \$5"):
        trial.ask([failure])

    assert clock.now_s - trial.began_at == pytest.approx(10, abs=0.5)


def test_the_end_of_the_runs_time_leaves_a_request_in_flight_open(
    clock: Clock,
) -> None:
    """The endpoint gives the request up at the end of the run's time, which is its deadline."""
    budget = run_budget()
    trial = Trial(clock, budget)
    clock.at(8, lambda: budget.spending.end.declare("the run's time of 8 s is over"))

    with pytest.raises(LeftOpen, match="the run's time of 8 s is over"):
        trial.ask([OutOfTime("no answer in time")], request_s=8)


def test_a_request_whose_own_time_is_over_ends_as_before(clock: Clock) -> None:
    trial = Trial(clock, run_budget())

    with pytest.raises(OutOfTime):
        trial.ask([OutOfTime("no answer in time")], request_s=8)
