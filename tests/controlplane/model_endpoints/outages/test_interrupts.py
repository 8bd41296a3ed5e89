"""Ctrl-C while the model's endpoint is down interrupts a run, which can be resumed.

The run waits to make refused requests again. It ends as interrupted, and not as paused.
"""

import signal
from pathlib import Path

from controlplane.errors import Interrupted
from tests.controlplane.model_endpoints.failing_endpoints import (
    overloaded,
    responding_until,
)
from tests.controlplane.model_endpoints.phonebook_endpoint import (
    PHONEBOOK_RUN,
    phonebook_endpoint,
)
from tests.support.command import wait_for_exit, wait_until


def test_ctrl_c_while_the_endpoint_is_down_interrupts_the_run(tmp_path: Path) -> None:
    with phonebook_endpoint(
        tmp_path, responding_until(5, failure=overloaded)
    ) as endpoint:
        process = endpoint.start_command(*PHONEBOOK_RUN, "--repeats", "3")
        # After 12 requests, 7 were refused, and the run waits to make them again.
        wait_until(lambda: len(endpoint.server.asked) >= 12)
        process.send_signal(signal.SIGINT)
        interrupted = wait_for_exit(process)
        assert interrupted.code == Interrupted.exit_code, interrupted.err

        endpoint.recover()
        resumed = endpoint.command("resume", "last")

    assert resumed.code == 0
