"""A run of the recorded model, which repeats the replies that a model once gave to the shop's tasks."""

import pytest

import controlplane
from controlplane.library.run_report import RunReport


@pytest.fixture(scope="session")
def recorded_run(tmp_path_factory: pytest.TempPathFactory) -> RunReport:
    """A run of all recorded tasks with the recorded replies: `recorded_run.trials[0].score`."""
    return controlplane.run(
        "ecom", model="recorded", runs_dir=str(tmp_path_factory.mktemp("runs"))
    )
