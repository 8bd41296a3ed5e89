import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from controlplane.agent.failure_codes import failure_of, may_yet_succeed
from controlplane.agent.limits.spending import Spending
from controlplane.agent.limits.spent_amounts import EarlierSpending, SpendingLimits
from controlplane.agent.retry.retry_after import retry_after_s
from controlplane.sandbox.interface import bounds

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
ALL = {
    *(
        "unavailable",
        "resource_exhausted",
        "deadline_exceeded",
        "aborted",
        "internal",
        "canceled",
        "unknown",
    ),
    *(
        "data_loss",
        "unauthenticated",
        "permission_denied",
        "unimplemented",
        "not_found",
        "invalid_argument",
    ),
    *("failed_precondition", "already_exists", "out_of_range", "of another protocol"),
}
TRANSIENT = {
    "unavailable",
    "resource_exhausted",
    "deadline_exceeded",
    "aborted",
    "internal",
    "canceled",
}
IN_DOUBT = {"deadline_exceeded", "internal", "canceled", "unknown", "data_loss"}
UNREACHABLE = {"unavailable", "resource_exhausted", "deadline_exceeded"}
FAILS_ALL = UNREACHABLE | {"unauthenticated", "permission_denied", "unimplemented"}


def said(moment: datetime) -> str:
    return format_datetime(moment, usegmt=True)


def test_a_date_counts_from_the_servers_own_clock_or_else_from_ours() -> None:
    later = {"retry-after": said(NOON + timedelta(seconds=90))}
    assert retry_after_s({**later, "date": said(NOON)}) == 90
    assert retry_after_s({**later, "date": said(NOON + timedelta(seconds=30))}) == 60
    assert retry_after_s({**later, "date": said(NOON + timedelta(hours=1))}) == 0
    soon = retry_after_s(
        {"retry-after": said(datetime.now(UTC) + timedelta(seconds=90))}
    )
    assert soon == pytest.approx(90, abs=20)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7),
        ("0.5", 0.5),
        ("1e300", bounds.LONGEST_S),
        ("Fri, 31 Dec 9999 23:59:59 GMT", bounds.LONGEST_S),
        ("Fri, 31 Dec 99999999999999999999 23:59:59 GMT", None),
        ("soon", None),
        ("-5", None),
        ("inf", None),
        ("nan", None),
        ("", None),
    ],
)
def test_no_retry_after_is_longer_than_a_timer_can_count(
    value: str, seconds: float | None
) -> None:
    assert retry_after_s({"retry-after": value}) == seconds


def test_milliseconds_are_read_and_come_first() -> None:
    assert retry_after_s({"retry-after-ms": "1250"}) == 1.25
    assert retry_after_s({"retry-after-ms": "1250", "retry-after": "60"}) == 1.25
    assert retry_after_s({"retry-after-ms": "soon", "retry-after": "60"}) == 60


@pytest.mark.parametrize("code", sorted(ALL))
def test_a_code_says_whether_it_is_transient_in_doubt_and_everybodys(code: str) -> None:
    failure = failure_of(code)
    assert failure.transient == (code in TRANSIENT)
    assert failure.in_doubt == (code in IN_DOUBT)
    assert failure.fails_all == (code in FAILS_ALL)
    assert failure.is_outage == (code in UNREACHABLE)
    assert failure.is_environment_fault == (code in TRANSIENT | IN_DOUBT)
    assert may_yet_succeed(code) == (code in TRANSIENT | IN_DOUBT | {"unauthenticated"})


@pytest.mark.parametrize(
    ("limits", "goes_on"),
    [
        (SpendingLimits(), lambda spending, stop: None),
        (SpendingLimits(time_s=60), lambda spending, stop: None),
        (
            SpendingLimits(tokens=9),
            lambda spending, stop: spending.count_reply("a", 0.0, 0),
        ),
        (SpendingLimits(cost_usd=9), lambda spending, stop: spending.end_request("a")),
        (SpendingLimits(cost_usd=9), lambda spending, stop: spending.close("over")),
        (SpendingLimits(cost_usd=9), lambda spending, stop: stop.set()),
        (
            SpendingLimits(cost_usd=9),
            lambda spending, stop: spending.take_over(EarlierSpending(1, 10)),
        ),
    ],
)
def test_the_second_request_of_a_limited_run_waits_for_what_the_first_one_shows(
    limits: SpendingLimits, goes_on: Callable[[Spending, threading.Event], None]
) -> None:
    spending, stop = Spending(limits), threading.Event()
    for _ in range(2):
        spending.wait_for_turn("a", stop)  # it never waits for itself
    turns: list[bool] = []
    second = threading.Thread(
        target=lambda: turns.append(spending.wait_for_turn("b", stop)), daemon=True
    )
    second.start()
    second.join(0.1)

    assert second.is_alive() == (
        limits.cost_usd is not None or limits.tokens is not None
    )
    goes_on(spending, stop)
    second.join(5)
    assert turns == [not stop.is_set()]
