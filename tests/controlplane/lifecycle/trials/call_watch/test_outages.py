"""The run pauses if calls of a trial reach nobody for long, since those of other trials would fail, too.

`["unavailable", "deadline_exceeded"]` are the codes of the errors with which two calls fail, one
after the other. Each call takes 2 s, and the run bears an outage of 3 s: one call, but not two in a row.

    unavailable, deadline_exceeded    nobody was reached
    resource_exhausted                the benchmark takes no calls now, which counts as not reached
    unknown                           tells nothing: an outage lasts, but none begins
    unauthenticated                   the benchmark refuses the user's key: the run pauses at once
"""

import pytest

from tests.controlplane.lifecycle.trials.call_watch.watched_calls import (
    MakeCall,
    pauses_after,
    read_file,
    submit_answer,
)


@pytest.mark.parametrize("make_call", [read_file, submit_answer])
@pytest.mark.parametrize(
    ("codes", "reason"),
    [
        pytest.param(
            ["unavailable", "deadline_exceeded"],
            "has not been reached for 4 s (deadline_exceeded: the call failed)",
            id="two calls that reached nobody",
        ),
        pytest.param(
            ["unavailable", "unknown", "resource_exhausted"],
            "has not been reached for 6 s",
            id="two such calls, and between them a failure that tells nothing",
        ),
        pytest.param(
            ["unauthenticated"],
            "refuses the calls of trials (unauthenticated: the call failed)",
            id="a wrong key",
        ),
    ],
)
def test_the_run_pauses_if_calls_reach_nobody_for_long(
    codes: list[str], reason: str, make_call: MakeCall, monkeypatch: pytest.MonkeyPatch
) -> None:
    (pause,) = pauses_after(codes, make_call, monkeypatch)

    assert reason in str(pause)
