"""In a user's project, `import agent` finds the user's package, and the product never does so.

The project has packages with the names of the product's, and comes first on the path.
`users_packages_imported_by` runs Python in the project, and returns which of them a process has
imported, such as `{"agent"}`. The product is installed from a wheel.
"""

from pathlib import Path

import pytest

from tests.support.projects import users_packages_imported_by, write_project

pytestmark = pytest.mark.second_tier

NOTEBOOK = """
import asyncio, runpy

async def cell():
    return runpy.run_path("program.py", run_name="__main__")

asyncio.run(cell())
"""
"""A program that runs `program.py` within an event loop, as a cell of Jupyter would."""

SHORT_RUN = ("-m", "controlplane", "run", "--limit", "1", "--quiet")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A user's project with packages called `agent`, `gates` and so on."""
    write_project(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["program.py"], id="a program"),
        pytest.param(["-c", NOTEBOOK], id="a notebook"),
        pytest.param(
            ["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_program.py"],
            id="pytest",
        ),
    ],
)
def test_a_users_program_imports_its_own_agent(
    wheel: Path, project: Path, words: list[str]
) -> None:
    """None of the user's other packages is imported for the program."""
    assert users_packages_imported_by(project, wheel, words) <= {"agent"}


@pytest.mark.parametrize(
    "words",
    [
        pytest.param([*SHORT_RUN], id="a run"),
        pytest.param([*SHORT_RUN, "--workers", "dask:local:1"], id="a cluster"),
        pytest.param(["-m", "controlplane.sandbox", "doctor"], id="the sandbox"),
        pytest.param(["-m", "controlplane.gates", "--help"], id="the gates"),
    ],
)
def test_a_command_imports_no_package_of_the_user(
    wheel: Path, project: Path, words: list[str]
) -> None:
    assert users_packages_imported_by(project, wheel, words) == set()
