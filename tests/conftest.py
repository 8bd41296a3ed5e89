"""What all tests share: the flag for heavy forms, and a bare environment."""

import os
import signal
import tempfile
from collections.abc import Generator, Iterator

import hypothesis
import pytest
from hypothesis.internal.conjecture import providers

_STATE = tempfile.TemporaryDirectory()
os.environ["XDG_STATE_HOME"] = _STATE.name  # no key of whoever runs the tests
for number, default in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
):
    # In the background the tests ignore the one, under nohup the other, and so does
    # every program that they start.
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, default)


collect_ignore_glob = ["benchmarks/harbor/tasks/*"]
"""Files of tasks, whose tests run in their containers."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--heavy",
        action="store_true",
        help="run heavy forms whole: soaks, many seeds, kill storms",
    )
    parser.addoption(
        "--tier",
        choices=("1", "2", "all"),
        default="1",
        help="1: quick tests; 2: attacks, clusters, ...",
    )


def pytest_configure(config: pytest.Config) -> None:
    # A loaded machine may exceed any deadline.
    hypothesis.settings.register_profile("whole", deadline=None, max_examples=500)
    hypothesis.settings.register_profile("light", deadline=None, max_examples=40)
    hypothesis.settings.load_profile(
        "whole" if config.getoption("--heavy") else "light"
    )
    if not config.getoption("--heavy"):
        # It reads all our sources for constants to try, which takes seconds.
        providers._get_local_constants = lambda: providers._local_constants


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    if not config.getoption("--heavy"):
        for item in items:
            if item.get_closest_marker("heavy"):
                item.add_marker(pytest.mark.skip(reason="heavy; run with --heavy"))
    tier = config.getoption("--tier")
    if tier != "all" and config.args_source.name != "ARGS":
        # A file that is named is run whole.
        left_out = {
            item
            for item in items
            if (item.get_closest_marker("second_tier") is None) == (tier == "2")
        }
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return how many tests run side by side: three for
    two cores, since tests spend half their time waiting."""
    cores = (
        len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count() or 2
    )
    return min(max(2, cores * 3 // 2), 12)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[
    None, pytest.TestReport, pytest.TestReport
]:
    """Show lone surrogates of captured output as escapes:
    the processes of a test run can't send them to each other."""
    report = yield
    report.sections = [
        (title, text.encode(errors="backslashreplace").decode())
        for title, text in report.sections
    ]
    return report


@pytest.fixture
def heavy(request: pytest.FixtureRequest) -> bool:
    """Whether heavy forms are to be run whole."""
    return bool(request.config.getoption("--heavy"))


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key, model or configuration of whoever runs the tests reaches them."""
    for name in list(os.environ):
        if name.startswith(
            ("OPENAI_", "BITGN_", "CONTROLPLANE_", "MODEL_ID", "BENCH_ID")
        ):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def shared_fork_servers() -> Iterator[None]:
    """Runs and replays in this process fork their scripts
    and workers from servers that are already there."""
    from tests.support.shared_fork_servers import shared_fork_servers

    with shared_fork_servers():
        yield


@pytest.fixture(scope="session")
def quick_server_ends() -> Iterator[None]:
    """Servers of the wire in this process end at once."""
    from tests.support.running_server import quick_server_ends

    with quick_server_ends():
        yield


@pytest.fixture
def short_backoff(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries of this process pause for 0.05 s at most, unless a server names a time to wait."""
    from controlplane.agent.retry.retry_policy import RetryPolicy

    backoff_s = RetryPolicy.backoff_s
    monkeypatch.setattr(
        RetryPolicy,
        "backoff_s",
        lambda policy, attempt: min(backoff_s(policy, attempt), 0.05),
    )
