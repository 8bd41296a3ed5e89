"""What `./start` prints and leaves behind when somebody calls it for the first time.

It plays recorded replies of a model to tasks of the shop, with and without the checks of answers
(the gates) and of calls. Then it prints one screen. The journal of the run with the checks stays.
"""

import pytest

import controlplane
from controlplane.library.run_report import RunReport
from tests.benchmarks.ecom.recorded_model.first_run.first_run import FirstRun
from tests.support.command import run_python


@pytest.fixture(scope="session")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> FirstRun:
    """The first run on a terminal of 80 columns."""
    runs_folder = tmp_path_factory.mktemp("first_run")
    command = run_python(
        "-m",
        "controlplane.first_run",
        CONTROLPLANE_RUNS_DIR=str(runs_folder),
        CONTROLPLANE_CALLED_AS="./start",
        COLUMNS="80",
    )
    assert command.code == 0, command.err
    return FirstRun(command.out.splitlines(), runs_folder)


@pytest.fixture(scope="session")
def recorded_run(first_run: FirstRun) -> RunReport:
    """The run of all recorded tasks that the first run has left: `recorded_run.trials[0].score`."""
    (journal,) = first_run.runs_folder.glob("*.jsonl")
    return controlplane.open_run(journal)
