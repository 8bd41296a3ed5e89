"""A fork is refused if the world of its trial cannot be rebuilt as it was.

The recorded calls are made again, and have to give the same results. The trial has called the shop's
clock, /bin/date, in step 1.
"""

from pathlib import Path
from typing import Any

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.errors import ReplayDiverged
from tests.support.command import CommandRunner, check_error_line


def test_a_fork_is_refused_if_the_clock_gives_another_time(
    fork_original: CommandRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fork is refused before it starts, so it has no journal."""
    original_call = EcomEnvironment.call

    def call_with_other_time(
        environment: EcomEnvironment, operation: str, arguments: dict[str, Any]
    ) -> dict[str, Any]:
        result = original_call(environment, operation, arguments)
        if "/bin/date" in arguments.values():
            return result | {"stdout": "another time"}
        return result

    monkeypatch.setattr(EcomEnvironment, "call", call_with_other_time)
    refused = fork_original("--step", "2")

    check_error_line(
        refused,
        ReplayDiverged.exit_code,
        "cannot be rebuilt as it was",
        "gives another result",
    )
    assert len(list(Path("runs").glob("*.jsonl"))) == 1  # of the run "first"
