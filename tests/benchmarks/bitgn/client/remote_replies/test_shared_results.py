"""Calls whose result two wait for. Their attempts and pauses are counted once, whoever waits.

`now` asks the clock of the platform (BitGN, a server that offers tasks to agents) by `/bin/date`,
and a script may ask for it, too. A call that fails with `internal` is sent three times.
"""

from unittest.mock import patch

import pytest

from controlplane.benchmarks.bitgn.client.connection.platform_client import (
    PlatformClient,
)
from controlplane.sandbox.interface import CallError
from tests.benchmarks.bitgn.client.remote_replies.stub_trials import trial_on_stub
from tests.benchmarks.bitgn.client.stub_platform import refusal


def test_call_whose_result_is_awaited_twice_goes_on_with_its_retries() -> None:
    """The clock awaits a call, which is sent three times. Then the script does: once more."""
    with trial_on_stub(refusal(500, "internal", "out of memory")) as trial:
        finish = trial.environment.begin("exec", {"path": "/bin/date"})
        assert trial.environment.now() is None
        assert trial.request_count == 3

        with pytest.raises(CallError, match="out of memory"):
            finish()

        assert trial.request_count == 4


def test_pauses_of_a_call_whose_result_is_awaited_twice_are_added_up() -> None:
    """The platform requests pauses of 200 seconds, and a call waits for at most 300."""
    busy = refusal(429, "resource_exhausted", "busy", "Retry-After: 200\r\n")
    with (
        trial_on_stub(busy) as trial,
        patch.object(PlatformClient, "wait", return_value=False) as wait,
    ):
        finish = trial.environment.begin("exec", {"path": "/bin/date"})
        assert trial.environment.now() is None
        with pytest.raises(CallError, match="busy"):
            finish()

    wait.assert_called_once_with(200.0)
