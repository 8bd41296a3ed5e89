"""Workers that a run starts on its own machine, `controlplane run --workers dask:local:2`, obey nobody else.

The run starts a Dask scheduler and two workers, processes that listen at ports of 127.0.0.1. Other
users of the machine can connect to these ports. So the processes talk only to holders of a
certificate that the run has made for itself.
"""

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.command import start_controlplane, wait_for_exit, wait_until
from tests.support.journals.compared_lines import lines_without_times

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)
from tests.controlplane.workers.local_dask.protected_ports import count_protected_ports

pytestmark = pytest.mark.second_tier


def a_trial_has_started(folder: Path) -> bool:
    """Return whether the journal of the run in a folder has the start of a trial."""
    for journal in (folder / "runs").glob("*.jsonl"):
        if b'"type":"trial_started"' in journal.read_bytes():
            return True
    return False


def play_three_trials(folder: Path, *, workers: str) -> int:
    """Run three trials; return how many protected ports the run had while it played them."""
    folder.mkdir()
    run = start_controlplane(
        "run",
        "--limit",
        "3",
        "--concurrency",
        "2",
        "--set",
        "profile=hard",
        "--json",
        "--workers",
        workers,
        cwd=folder,
    )
    try:
        # Three processes import all that a run needs, perhaps on a busy machine.
        wait_until(lambda: a_trial_has_started(folder), within_s=120)
        protected_ports = count_protected_ports(run)
        result = wait_for_exit(run, within_s=400)
    finally:
        run.kill()
    assert result.err == ""
    assert result.code in (0, 1)  # 1 if a trial has no answer
    return protected_ports


def test_workers_on_this_machine_write_the_journal_of_threads_and_obey_nobody_else(
    tmp_path: Path,
) -> None:
    """The journals are equal but for times. A run on threads does not listen at any port."""
    ports_of_threads = play_three_trials(tmp_path / "threads", workers="threads")
    ports_of_dask = play_three_trials(tmp_path / "dask", workers="dask:local:1")

    assert ports_of_threads == 0
    assert ports_of_dask >= 3  # of the run, of its scheduler and of the worker
    lines_of_threads = lines_without_times(tmp_path / "threads")
    assert lines_without_times(tmp_path / "dask") == lines_of_threads
