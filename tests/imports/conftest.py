"""A run whose modules several tests look at."""

import pytest

from tests.imports.loaded_modules import modules_loaded_by_run


@pytest.fixture(scope="session")
def modules_of_run(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The modules that a run of one trial on a thread has loaded: `["sys", …]`."""
    runs_folder = tmp_path_factory.mktemp("runs")
    return modules_loaded_by_run("--workers", "threads", "--runs-dir", runs_folder)
