"""The product claims one import name: what a user's project calls `agent` or `gates` stays the user's."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from controlplane.agent.submission import judging_modules
from controlplane.sandbox import ForkServer, Worker, WorkerLimits
from tests.support.command import ROOT, python

EVERYDAY_NAMES = ("agent", "benchmarks", "gates", "prompts", "sandbox", "tests")
"""Packages that many projects have."""

USERS_PACKAGE = """
import os
with open(os.environ["IMPORT_LOG"], "a") as log:
    log.write(__name__ + "\\n")
NAME = "the user's own " + __name__
"""

PROGRAM = """
import agent
import controlplane
from controlplane import Task

assert agent.NAME == "the user's own agent"
TASKS = [Task("stock.1", "How many of A-7 are left?", files={"/stock.csv": "A-7,12"},
              grade=lambda end: end.answer == "12")]

if __name__ == "__main__":
    run = controlplane.run(TASKS, model="scripted:replies.toml", runs_dir="runs")
    assert run.mean == 1.0, run.trials[0].why
"""

TESTS = """
import agent
import controlplane
from program import TASKS

def test_the_task_is_solved(tmp_path):
    run = controlplane.run(TASKS, model="scripted:replies.toml", runs_dir=str(tmp_path))
    assert run["stock.1"].score == 1
"""

REPLIES = '''
[[reply]]
code = """
left = harness.read("/stock.csv").content.partition(",")[2]
scratchpad["answer"] = left
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad.cite("/stock.csv", "the row of A-7 has 12")
harness.answer(scratchpad, lambda sp: sp["answer"] == left)
"""
'''

NOTEBOOK = """
import asyncio, runpy

async def cell():
    return runpy.run_path("program.py", run_name="__main__")

asyncio.run(cell())
"""


def built(kind: str, source: Path, folder: Path) -> Path:
    """Return the archive that the build backend makes of a source tree: `sdist` or `wheel`."""
    pytest.importorskip("hatchling")
    words = [sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", folder]
    subprocess.run(words, cwd=source, check=True, capture_output=True)
    (archive,) = folder.iterdir()
    return archive


def unpacked(archive: Path, folder: Path) -> Path:
    """Return the source tree in a source archive."""
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    (tree,) = folder.iterdir()
    return tree


def python_files(names: list[str], root: str) -> set[str]:
    return {name.removeprefix(root) for name in names if name.endswith(".py")}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel that was built from the source archive, as a package index would have it built."""
    archive = built("sdist", ROOT, tmp_path_factory.mktemp("archive"))
    tree = unpacked(archive, tmp_path_factory.mktemp("tree"))
    return built("wheel", tree, tmp_path_factory.mktemp("wheel"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A user's project with packages of everyday names."""
    for name in EVERYDAY_NAMES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(USERS_PACKAGE)
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "test_program.py").write_text(TESTS)
    (tmp_path / "replies.toml").write_text(REPLIES)
    return tmp_path


def test_a_wheel_holds_every_module_below_one_name(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"controlplane"}

    tracked = subprocess.run(
        ["git", "ls-files", "agent", "benchmarks", "gates", "sandbox", "controlplane"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if tracked.returncode != 0:
        pytest.skip("this is not a clone: git cannot say which files belong to it")
    ours = set()
    for name in python_files(tracked.stdout.split(), ""):
        ours.add(name if name.startswith("controlplane/") else f"controlplane/{name}")
    assert python_files(names, "") == ours


@pytest.mark.second_tier
@pytest.mark.parametrize(
    "words",
    [
        ["program.py"],
        ["-c", NOTEBOOK],
        ["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_program.py"],
        ["-m", "controlplane", "run", "--limit", "1", "--quiet"],
        ["-m", "controlplane", "run", "--limit", "1", "--quiet", "--workers", "dask:local:1"],
        ["-m", "controlplane.sandbox", "doctor"],
        ["-m", "controlplane.gates", "--help"],
    ],
    ids=["library", "notebook", "pytest", "command", "cluster", "sandbox", "gates"],
)
def test_a_users_packages_stay_the_users(wheel: Path, project: Path, words: list[str]) -> None:
    site = project / "site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    log = project / "imported.log"
    log.touch()

    done = python(
        *words,
        cwd=project,
        PYTHONPATH=os.pathsep.join([str(site), str(project)]),
        IMPORT_LOG=str(log),
        HOME=str(project),
    )

    assert done.code == 0, done.out + done.err
    imported_by_the_user = {"agent"} if "program" in " ".join(words) else set()
    assert set(log.read_text().split()) <= imported_by_the_user


def test_no_module_has_two_names_in_the_processes_of_a_run(tmp_path: Path) -> None:
    run_and_list = (
        "import sys\n"
        "from controlplane.command_line import run_command\n"
        "try: run_command(['run', '--limit', '1', '--quiet', '--runs-dir', sys.argv[1]])\n"
        "finally: print(*sys.modules)\n"
    )
    parent = python("-c", run_and_list, str(tmp_path)).out.splitlines()[-1].split()

    modules = (*judging_modules(("ecom",)), "tests.support.loaded_modules")
    server = ForkServer(modules)
    try:
        with Worker(server, limits=WorkerLimits()) as worker:
            child = worker.call("tests.support.loaded_modules:names")
    finally:
        server.close()

    for loaded in (parent, child):
        assert [name for name in loaded if name.startswith("controlplane.")]
        assert sorted({name.partition(".")[0] for name in loaded} & set(EVERYDAY_NAMES[:-1])) == []
