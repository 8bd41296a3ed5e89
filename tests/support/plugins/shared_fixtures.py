"""Fixtures of all tests, such as `heavy`, and an environment without private variables."""

import os
from collections.abc import Iterator

import pytest

LONGEST_BACKOFF_S = 0.05
"""The longest pause between two attempts in tests with the fixture `short_backoff`."""


@pytest.fixture
def heavy(request: pytest.FixtureRequest) -> bool:
    """True with the option `--heavy`: a test that has fewer cases otherwise is to try all."""
    return bool(request.config.getoption("--heavy"))


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep keys, models and configuration of whoever runs the tests away from every test."""
    private_prefixes = ("OPENAI_", "BITGN_", "CONTROLPLANE_", "MODEL_ID", "BENCH_ID")
    for name in list(os.environ):
        if name.startswith(private_prefixes):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def shared_fork_servers() -> Iterator[None]:
    """Let runs and replays in the test's process share the servers that fork sandboxes.

    Such a server, a process, takes long to start; see `tests/support/forks/forked_process.py`.
    """
    from tests.support.forks.shared_fork_servers import shared_fork_servers

    with shared_fork_servers():
        yield


@pytest.fixture(scope="session")
def quick_server_ends() -> Iterator[None]:
    """Let HTTP servers in the test's process end within milliseconds, not a quarter of a second."""
    from tests.support.running_server import quick_server_ends

    with quick_server_ends():
        yield


@pytest.fixture
def short_backoff(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let retries of requests pause for 0.05 s at most, unless a server names a time to wait.

    `backoff_s` is the pause after a failed attempt, which grows with each.
    """
    from controlplane.agent.retry import RetryPolicy

    usual_backoff_s = RetryPolicy.backoff_s

    def short_backoff_s(policy: RetryPolicy, attempt: int) -> float:
        return min(usual_backoff_s(policy, attempt), LONGEST_BACKOFF_S)

    monkeypatch.setattr(RetryPolicy, "backoff_s", short_backoff_s)


@pytest.fixture
def short_worker_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a worker kill a call after 0.4 s of CPU time instead of 2 s.

    The tests do not start the workers themselves, so the default of the class is changed.
    """
    from controlplane.sandbox import Worker
    from controlplane.sandbox.interface.limits import WorkerLimits

    worker_defaults = Worker.__init__.__kwdefaults__
    monkeypatch.setitem(worker_defaults, "limits", WorkerLimits(call_cpu_s=0.4))
