"""What happens after a call to a model or a platform failed, or before one may be sent.

- `retry_after_s` reads how long a server asks to wait: `retry-after: 7` is 7 seconds.
- `failure_of` says what an error code means: a retry helps after `unavailable`, and not
  after `invalid_argument`.
- `Spending` lets only one request of a run with a cost limit out until its cost is known.
"""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import NamedTuple

import pytest

from controlplane.agent.failure_codes import failure_of, may_yet_succeed
from controlplane.agent.limits.spending import Spending
from controlplane.agent.limits.spent_amounts import EarlierSpending, SpendingLimits
from controlplane.agent.retry.retry_after import retry_after_s
from controlplane.sandbox.interface import bounds
from tests.support.command import PATIENCE_S

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def http_date(moment: datetime) -> str:
    """Return a moment as headers have it: `Mon, 04 May 2026 12:00:00 GMT`."""
    return format_datetime(moment, usegmt=True)


@pytest.mark.parametrize(
    ("server_time", "expected_s"),
    [
        pytest.param(NOON, 90, id="before the date"),
        pytest.param(NOON + timedelta(seconds=30), 60, id="nearer to the date"),
        pytest.param(NOON + timedelta(hours=1), 0, id="after the date"),
    ],
)
def test_retry_date_counts_from_the_servers_own_clock(
    server_time: datetime, expected_s: int
) -> None:
    """The header `date` is the server's clock, which may differ from ours."""
    retry_time = NOON + timedelta(seconds=90)
    headers = {"retry-after": http_date(retry_time), "date": http_date(server_time)}

    assert retry_after_s(headers) == expected_s


def test_retry_date_counts_from_our_clock_if_the_server_sends_no_time() -> None:
    retry_time = datetime.now(UTC) + timedelta(seconds=90)

    wait_s = retry_after_s({"retry-after": http_date(retry_time)})

    # A slow machine may take some seconds between the two lines above.
    assert wait_s == pytest.approx(90, abs=20)


@pytest.mark.parametrize(
    ("value", "expected_s"),
    [
        pytest.param("7", 7, id="whole seconds"),
        pytest.param("0.5", 0.5, id="fraction"),
        pytest.param("1e300", bounds.LONGEST_S, id="longer than a timer can count"),
        pytest.param(
            "Fri, 31 Dec 9999 23:59:59 GMT", bounds.LONGEST_S, id="distant date"
        ),
        pytest.param(
            "Fri, 31 Dec 99999999999999999999 23:59:59 GMT", None, id="impossible date"
        ),
        pytest.param("soon", None, id="word"),
        pytest.param("-5", None, id="negative"),
        pytest.param("inf", None, id="infinite"),
        pytest.param("nan", None, id="not a number"),
        pytest.param("", None, id="empty"),
    ],
)
def test_retry_after_is_bounded_and_nonsense_is_ignored(
    value: str, expected_s: float | None
) -> None:
    """A header of a foreign server must not stop a run forever, or with an exception."""
    assert retry_after_s({"retry-after": value}) == expected_s


@pytest.mark.parametrize(
    ("headers", "expected_s"),
    [
        pytest.param({"retry-after-ms": "1250"}, 1.25, id="milliseconds alone"),
        pytest.param(
            {"retry-after-ms": "1250", "retry-after": "60"}, 1.25, id="both headers"
        ),
        pytest.param(
            {"retry-after-ms": "soon", "retry-after": "60"},
            60,
            id="unreadable milliseconds",
        ),
    ],
)
def test_header_in_milliseconds_takes_precedence(
    headers: dict[str, str], expected_s: float
) -> None:
    """Some vendors send the header `retry-after-ms`, which is more exact."""
    assert retry_after_s(headers) == expected_s


class CodeMeaning(NamedTuple):
    """What the error code of a failed call means."""

    code: str
    transient: bool
    """A retry in the next minutes may succeed."""
    in_doubt: bool
    """The call may have had its effect although it failed."""
    fails_all: bool
    """The calls of all other trials are expected to fail, too."""
    is_outage: bool
    """The server serves nobody for now."""
    is_environment_fault: bool
    """The environment failed. Otherwise, the request was wrong."""
    succeeds_later: bool
    """The call may succeed in a resumed run, after a repair or with another key."""


YES, NO = True, False
CODE_MEANINGS = [
    #           code                   transient, in doubt, fails all, outage, environment, succeeds later
    CodeMeaning("unavailable",         YES,      NO,       YES,       YES,    YES,               YES),
    CodeMeaning("resource_exhausted",  YES,      NO,       YES,       YES,    YES,               YES),
    CodeMeaning("deadline_exceeded",   YES,      YES,      YES,       YES,    YES,               YES),
    CodeMeaning("aborted",             YES,      NO,       NO,        NO,     YES,               YES),
    CodeMeaning("internal",            YES,      YES,      NO,        NO,     YES,               YES),
    CodeMeaning("canceled",            YES,      YES,      NO,        NO,     YES,               YES),
    CodeMeaning("unknown",             NO,       YES,      NO,        NO,     YES,               YES),
    CodeMeaning("data_loss",           NO,       YES,      NO,        NO,     YES,               YES),
    CodeMeaning("unauthenticated",     NO,       NO,       YES,       NO,     NO,                YES),
    CodeMeaning("permission_denied",   NO,       NO,       YES,       NO,     NO,                NO),
    CodeMeaning("unimplemented",       NO,       NO,       YES,       NO,     NO,                NO),
    CodeMeaning("not_found",           NO,       NO,       NO,        NO,     NO,                NO),
    CodeMeaning("invalid_argument",    NO,       NO,       NO,        NO,     NO,                NO),
    CodeMeaning("failed_precondition", NO,       NO,       NO,        NO,     NO,                NO),
    CodeMeaning("already_exists",      NO,       NO,       NO,        NO,     NO,                NO),
    CodeMeaning("out_of_range",        NO,       NO,       NO,        NO,     NO,                NO),
    CodeMeaning("of another protocol", NO,       NO,       NO,        NO,     NO,                NO),
]  # fmt: skip


@pytest.mark.parametrize(
    "meaning", CODE_MEANINGS, ids=[meaning.code for meaning in CODE_MEANINGS]
)
def test_error_code_says_what_a_failed_call_means(meaning: CodeMeaning) -> None:
    """The retries of a call, and the end of its trial, follow from these facts."""
    failure = failure_of(meaning.code)

    assert failure.transient == meaning.transient
    assert failure.in_doubt == meaning.in_doubt
    assert failure.fails_all == meaning.fails_all
    assert failure.is_outage == meaning.is_outage
    assert failure.is_environment_fault == meaning.is_environment_fault
    assert may_yet_succeed(meaning.code) == meaning.succeeds_later


class TwoRequests:
    """Two trials, "first" and "second", that both want to send a request to a model.

    The first may send its request at once. The second waits for its turn in a thread.
    """

    def __init__(self, limits: SpendingLimits) -> None:
        self.spending = Spending(limits)
        self.stop = threading.Event()
        """Set when the user interrupts the run."""
        self.second_turns: list[bool] = []
        """The answer to the second trial, once its wait is over: may it send its request?"""

        self.spending.wait_for_turn("first", self.stop)
        self._thread = threading.Thread(target=self._wait_for_second_turn, daemon=True)
        self._thread.start()
        self._thread.join(0.1)

    def _wait_for_second_turn(self) -> None:
        turn = self.spending.wait_for_turn("second", self.stop)
        self.second_turns.append(turn)

    @property
    def second_is_waiting(self) -> bool:
        return self._thread.is_alive()

    def wait_for_second(self) -> None:
        """Wait until the second trial has got its answer."""
        self._thread.join(PATIENCE_S)


@pytest.mark.parametrize(
    "limits",
    [
        pytest.param(SpendingLimits(), id="no limit"),
        pytest.param(SpendingLimits(time_s=60), id="time limit"),
    ],
)
def test_second_request_is_sent_at_once_if_no_amount_is_limited(
    limits: SpendingLimits,
) -> None:
    """A request only has to wait if its cost might exceed a limit.

    The second trial is told, by True, that it may send its request.
    """
    requests = TwoRequests(limits)
    requests.wait_for_second()

    assert requests.second_turns == [True]


# Events that end the wait of the second request


def reply_to_first(requests: TwoRequests) -> None:
    """The first request has got its reply, which shows what a request costs."""
    requests.spending.count_reply("first", cost_usd=0.0, tokens=0)


def end_first_without_reply(requests: TwoRequests) -> None:
    """The first request has failed, so that the second one may try."""
    requests.spending.end_request("first")


def close_the_spending(requests: TwoRequests) -> None:
    """The limit is reached. The second trial then gets its turn, and sees that by itself."""
    requests.spending.close("over")


def take_over_an_earlier_reply(requests: TwoRequests) -> None:
    """The run was resumed, and an earlier process already had a reply of 10 tokens for $1."""
    requests.spending.take_over(EarlierSpending(1, 10))


@pytest.mark.parametrize(
    ("limits", "end_the_wait"),
    [
        pytest.param(SpendingLimits(tokens=9), reply_to_first, id="reply"),
        pytest.param(SpendingLimits(cost_usd=9), end_first_without_reply, id="failure"),
        pytest.param(SpendingLimits(cost_usd=9), close_the_spending, id="spent all"),
        pytest.param(
            SpendingLimits(cost_usd=9), take_over_an_earlier_reply, id="resumed run"
        ),
    ],
)
def test_second_request_waits_until_the_first_shows_its_cost(
    limits: SpendingLimits, end_the_wait: Callable[[TwoRequests], None]
) -> None:
    """Until a reply has shown what a request costs, two requests might exceed the limit.

    Then the second trial is told, by True, that it may send its request.
    """
    requests = TwoRequests(limits)
    assert requests.second_is_waiting

    end_the_wait(requests)
    requests.wait_for_second()

    assert requests.second_turns == [True]


def test_second_request_is_not_sent_if_the_run_is_interrupted() -> None:
    """The wait ends at once, with the answer that nothing may be sent."""
    requests = TwoRequests(SpendingLimits(cost_usd=9))
    assert requests.second_is_waiting

    requests.stop.set()
    requests.wait_for_second()

    assert requests.second_turns == [False]


def test_trial_does_not_wait_for_its_own_request() -> None:
    """A trial that repeats a failed request still has its turn."""
    spending = Spending(SpendingLimits(cost_usd=9))
    stop = threading.Event()

    assert spending.wait_for_turn("first", stop)
    assert spending.wait_for_turn("first", stop)
