"""A script and the clock may wait for the same call. One limit of repeats holds for both.

A script begins a call of `/bin/date`, and reads its result later by `finish()`. In between, the
client asks for the time by `now()`, which waits for the same call. `now()` is None if the call has
failed.
"""

from unittest.mock import patch

import pytest

from controlplane.benchmarks.bitgn.client.connection import PlatformClient
from controlplane.sandbox.interface import CallError
from tests.benchmarks.bitgn.client.remote_replies.stub_trials import trial_on_stub
from tests.benchmarks.bitgn.client.stub_platform import refusal


def test_a_failed_call_is_repeated_for_the_first_who_waits_only() -> None:
    """A call that fails with `internal` may be repeated twice, so `now()` makes three requests.

    No repeat is left for the script: `finish()` makes one request more, the fourth.
    """
    out_of_memory = refusal(500, "internal", "out of memory")
    with trial_on_stub(out_of_memory) as trial:
        finish = trial.environment.begin("exec", {"path": "/bin/date"})
        assert trial.environment.now() is None
        assert trial.request_count == 3

        with pytest.raises(CallError, match="out of memory"):
            finish()

        assert trial.request_count == 4


def test_pauses_of_a_call_are_added_up_whoever_waits() -> None:
    """The server asks for a pause of 200 seconds each time, and a call may pause for 300 in all.

    `now()` pauses once. A second pause would make 400 seconds, so neither it nor `finish()` has
    one.
    """
    busy = refusal(429, "resource_exhausted", "busy", headers="Retry-After: 200\r\n")
    waits_in_no_time = patch.object(PlatformClient, "wait", return_value=False)
    with trial_on_stub(busy) as trial, waits_in_no_time as wait:
        finish = trial.environment.begin("exec", {"path": "/bin/date"})
        assert trial.environment.now() is None
        with pytest.raises(CallError, match="busy"):
            finish()

    wait.assert_called_once_with(200.0)
