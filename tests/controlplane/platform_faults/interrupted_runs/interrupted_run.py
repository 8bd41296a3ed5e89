"""Interrupts a run of several trials by Ctrl-C once the first has its score.

    interrupt_after_first_score(platform, *RUN_EFFECT_COUNTER)

Some trials are answered then, at most one is cut off in the middle, and the others have not begun.
"""

import signal

from tests.controlplane.platform_faults.platform_commands import Platform
from tests.support.command import wait_for_exit, wait_until


def interrupt_after_first_score(
    platform: Platform, *run_command: str, **variables: str
) -> None:
    """Start a run that plays its trials in turn, and interrupt it once a trial has its score."""
    run = platform.start_command(*run_command, "--concurrency", "1", **variables)
    wait_until(lambda: bool(platform.benchmark.scores))
    run.send_signal(signal.SIGINT)
    wait_for_exit(run)
