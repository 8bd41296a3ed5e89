"""The run of an example."""

import pytest

from controlplane import open_journal
from tests.documentation.pages import EXAMPLES
from tests.documentation.played_examples.lending_runs import LendingRun, lending_command
from tests.support.command import run_controlplane


@pytest.fixture(scope="session")
def lending_run(tmp_path_factory: pytest.TempPathFactory) -> LendingRun:
    """The run of `lending` with the command on the page of benchmarks."""
    folder = tmp_path_factory.mktemp("lending")
    for name in ("lending.py", "lending.toml"):
        (folder / name).write_bytes((EXAMPLES / name).read_bytes())

    result = run_controlplane(*lending_command(), "--json", cwd=folder)

    with open_journal(folder / result.json["journal"]) as journal:
        (trial,) = journal.trials.values()
        return LendingRun(result, trial.initial_prompt, trial.steps)
