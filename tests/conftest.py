"""What all tests share: the options `--heavy` and `--tier`, and fixtures.

Tests with the mark `second_tier` (attacks, clusters, browsers, real models) are left out unless
`--tier 2` or `--tier all` asks for them, or their file is named. Tests with the mark `heavy`, which
take minutes, are skipped without `--heavy`; those with the fixture `heavy` try fewer cases then.
"""

import os
import signal
import tempfile
from collections.abc import Generator, Iterator

import hypothesis
import pytest
from hypothesis.internal.conjecture import providers

# The state folder has the key that signs journals. The tests use one of their own.
_STATE_FOLDER = tempfile.TemporaryDirectory()
os.environ["XDG_STATE_HOME"] = _STATE_FOLDER.name

# A shell ignores SIGINT for a test run in the background, and `nohup` ignores SIGHUP. Every
# program that the tests start would inherit that, and would not react to these signals.
for signal_number, default_handler in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(signal_number) is signal.SIG_IGN:
        signal.signal(signal_number, default_handler)

collect_ignore_glob = ["benchmarks/harbor/tasks/*"]
"""Sample tasks for containers, which have tests of their own that run in the containers."""

LONGEST_BACKOFF_S = 0.05
"""The longest pause between two attempts in tests with the fixture `short_backoff`."""


# --- Options ---


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
    """Choose how many examples Hypothesis tries for each property: 500 with `--heavy`, or 40.

    An example has no deadline, as the machine may be busy.
    """
    is_heavy = config.getoption("--heavy")
    examples = 500 if is_heavy else 40
    hypothesis.settings.register_profile("tests", deadline=None, max_examples=examples)
    hypothesis.settings.load_profile("tests")
    if not is_heavy:
        keep_hypothesis_from_reading_sources()


def keep_hypothesis_from_reading_sources() -> None:
    """Save the seconds in which Hypothesis would read all our sources for constants to try.

    Its function is replaced by one that returns the constants read so far, which are none.
    """
    providers._get_local_constants = lambda: providers._local_constants


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Choose the tests to run. pytest calls this with all tests that it has found."""
    if not config.getoption("--heavy"):
        skip_heavy_tests(items)

    tier = config.getoption("--tier")
    files_are_named = config.args_source is pytest.Config.ArgsSource.ARGS
    if tier != "all" and not files_are_named:
        leave_out_other_tier(tier, items, config)


def skip_heavy_tests(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("heavy"):
            item.add_marker(pytest.mark.skip(reason="heavy; run with --heavy"))


def leave_out_other_tier(
    tier: str, items: list[pytest.Item], config: pytest.Config
) -> None:
    """Remove the tests from `items` that are not of this tier, "1" or "2"."""
    chosen_items: list[pytest.Item] = []
    other_items: list[pytest.Item] = []
    for item in items:
        tier_of_item = "2" if item.get_closest_marker("second_tier") else "1"
        if tier_of_item == tier:
            chosen_items.append(item)
        else:
            other_items.append(item)
    config.hook.pytest_deselected(items=other_items)  # pytest counts them.
    items[:] = chosen_items


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return how many tests `-n auto` runs side by side: three for two cores, since tests spend
    half their time waiting."""
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 2
    return min(max(2, cores * 3 // 2), 12)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[
    None, pytest.TestReport, pytest.TestReport
]:
    """Show lone surrogates in captured output as escapes.

    The processes of a test run send reports to each other as UTF-8, which cannot express them.
    """
    report = yield
    sections: list[tuple[str, str]] = []
    for title, text in report.sections:
        sections.append((title, text.encode(errors="backslashreplace").decode()))
    report.sections = sections
    return report


# --- Fixtures ---


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

    Such a server, a process, takes long to start; see `tests/support/forks/shared_fork_servers.py`.
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
    from controlplane.agent.retry.retry_policy import RetryPolicy

    usual_backoff_s = RetryPolicy.backoff_s

    def short_backoff_s(policy: RetryPolicy, attempt: int) -> float:
        return min(usual_backoff_s(policy, attempt), LONGEST_BACKOFF_S)

    monkeypatch.setattr(RetryPolicy, "backoff_s", short_backoff_s)
