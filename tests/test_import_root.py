"""The product is imported by one name, `controlplane`, and by no other.

Its repository has packages called `agent`, `gates` and so on, which many projects have, too. They
are installed as `controlplane.agent`, so that `import agent` in a user's project finds the user's
package. The tests install the product as users do, from a wheel.
"""

import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.support.command import ROOT
from tests.support.projects.project_with_packages import users_packages_imported_by
from tests.support.projects.users_project import write_project


def build_archive(kind: str, source: Path, folder: Path) -> Path:
    """Build an `sdist` or a `wheel` of a source tree into an empty folder, and return its path."""
    pytest.importorskip("hatchling")
    words = [sys.executable, "-m", "hatchling", "build", "--target", kind]
    words += ["--directory", str(folder)]
    subprocess.run(words, cwd=source, check=True, capture_output=True)
    (archive,) = folder.iterdir()
    return archive


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack a source archive into an empty folder, and return the source tree."""
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    (tree,) = folder.iterdir()
    return tree


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel that was built from the source archive, as a package index would have it built."""
    archive = build_archive("sdist", ROOT, tmp_path_factory.mktemp("archive"))
    tree = unpack(archive, tmp_path_factory.mktemp("tree"))
    return build_archive("wheel", tree, tmp_path_factory.mktemp("wheel"))


def python_files(names: Iterable[str]) -> set[str]:
    """Return those of some file names that are Python's."""
    return {name for name in names if name.endswith(".py")}


def tracked_modules() -> set[str]:
    """Return the product's Python files in the repository, as they are to be in the wheel.

    `agent/loop/turn.py` is to be `controlplane/agent/loop/turn.py`.
    """
    tracked = subprocess.run(
        ["git", "ls-files", "agent", "benchmarks", "gates", "sandbox", "controlplane"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if tracked.returncode != 0:
        pytest.skip("this is not a clone: git cannot say which files belong to it")
    names: set[str] = set()
    for name in python_files(tracked.stdout.split()):
        if name.startswith("controlplane/"):
            names.add(name)
        else:
            names.add(f"controlplane/{name}")
    return names


class TestWheel:
    """A wheel is the file that users install. It has all modules, below the folder `controlplane`.

    The repository has `agent/loop/turn.py`, and the wheel `controlplane/agent/loop/turn.py`.
    """

    def test_a_wheel_has_one_top_level_package(self, wheel: Path) -> None:
        """All files are below `controlplane/`, but for the folder `....dist-info` about the package."""
        top_level_names: set[str] = set()
        for name in zipfile.ZipFile(wheel).namelist():
            top_level_name = name.partition("/")[0]
            if not top_level_name.endswith(".dist-info"):
                top_level_names.add(top_level_name)

        assert top_level_names == {"controlplane"}

    def test_a_wheel_has_every_module(self, wheel: Path) -> None:
        """A module that git does not track would be missing for users."""
        names_in_wheel = zipfile.ZipFile(wheel).namelist()

        assert python_files(names_in_wheel) == tracked_modules()


NOTEBOOK = """
import asyncio, runpy

async def cell():
    return runpy.run_path("program.py", run_name="__main__")

asyncio.run(cell())
"""
"""A program that runs `program.py` within an event loop, as a cell of Jupyter would."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A user's project with packages of everyday names, such as `agent` and `gates`."""
    write_project(tmp_path)
    return tmp_path


class TestProjectsWithPackages:
    """In a user's project, `import agent` finds the user's package, and the product never does so.

    The project has packages with the names of the product's, and comes first on the path. Each
    writes its name into a file when a process imports it: `users_packages_imported_by` runs Python
    in the project, and returns these names.
    """

    short_run = ("-m", "controlplane", "run", "--limit", "1", "--quiet")
    """The words behind `python` that play one trial of the embedded benchmark."""

    @pytest.mark.second_tier
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
        self, wheel: Path, project: Path, words: list[str]
    ) -> None:
        """The program imports `agent`, and none of the user's other packages is imported for it."""
        imported = users_packages_imported_by(project, wheel, words)

        assert imported <= {"agent"}

    @pytest.mark.second_tier
    @pytest.mark.parametrize(
        "words",
        [
            pytest.param([*short_run], id="a run"),
            pytest.param([*short_run, "--workers", "dask:local:1"], id="a cluster"),
            pytest.param(["-m", "controlplane.sandbox", "doctor"], id="the sandbox"),
            pytest.param(["-m", "controlplane.gates", "--help"], id="the gates"),
        ],
    )
    def test_a_command_imports_no_package_of_the_user(
        self, wheel: Path, project: Path, words: list[str]
    ) -> None:
        """The user's packages are first on the path, so `import gates` would find the user's."""
        assert users_packages_imported_by(project, wheel, words) == set()
