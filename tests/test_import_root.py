"""The product claims one import name: what a user's
project calls `agent` or `gates` stays the user's."""

import asyncio
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from controlplane.agent.submission import judging_modules
from controlplane.sandbox import ForkServer, Sandbox, Worker, WorkerLimits
from tests.sandbox.script_world import NOW, TOOL_SCHEMA, RecordingHost
from tests.support.command import ROOT, clean_environment, run_python

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
    words = [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "--target",
        kind,
        "--directory",
        folder,
    ]
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
        [
            "-m",
            "controlplane",
            "run",
            "--limit",
            "1",
            "--quiet",
            "--workers",
            "dask:local:1",
        ],
        ["-m", "controlplane.sandbox", "doctor"],
        ["-m", "controlplane.gates", "--help"],
    ],
    ids=["library", "notebook", "pytest", "command", "cluster", "sandbox", "gates"],
)
def test_a_users_packages_stay_the_users(
    wheel: Path, project: Path, words: list[str]
) -> None:
    site = project / "site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    log = project / "imported.log"
    log.touch()

    done = run_python(
        *words,
        cwd=project,
        PYTHONPATH=os.pathsep.join([str(site), str(project)]),
        IMPORT_LOG=str(log),
        HOME=str(project),
    )

    assert done.code == 0, done.out + done.err
    imported_by_the_user = {"agent"} if "program" in " ".join(words) else set()
    assert set(log.read_text().split()) <= imported_by_the_user


IMPORT_RECORDER = """
import os, sys

class Recorder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        try:
            with open(os.path.join(os.environ["IMPORTS"], str(os.getpid())), "a") as log:
                log.write(name + "\\n")
        except OSError:
            pass  # An isolated process cannot write.
        return None

sys.meta_path.insert(0, Recorder)
"""
"""A `sitecustomize` that notes what each process imports, in a file of the process's number."""


def bare_names(modules: Iterable[str]) -> list[str]:
    """Return the modules that were imported without `controlplane` in front."""
    own_packages = {"agent", "benchmarks", "gates", "prompts", "sandbox"}
    return sorted(name for name in modules if name.partition(".")[0] in own_packages)


def is_ours(modules: Iterable[str]) -> bool:
    return any(name.startswith("controlplane.") for name in modules)


@pytest.fixture
def imports(tmp_path: Path) -> Path:
    """A folder for the recorder's files, beside the recorder."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(IMPORT_RECORDER)
    (tmp_path / "imports").mkdir()
    return tmp_path / "imports"


def recording(imports: Path) -> dict[str, str]:
    """Return the variables with which a process and its children record what they import.

    The clone comes first, in which a bare `import agent` would find a package.
    """
    path = os.pathsep.join([str(imports.parent / "site"), str(ROOT)])
    return {"PYTHONPATH": path, "IMPORTS": str(imports)}


def imported_by_process(imports: Path) -> list[list[str]]:
    """Return what each process of ours imported."""
    processes = [path.read_text().split() for path in imports.iterdir()]
    return [modules for modules in processes if is_ours(modules)]


@pytest.mark.second_tier
@pytest.mark.parametrize(
    ("workers", "processes"), [("threads", 1), ("dask:local:1", 2)]
)
def test_no_process_of_a_run_imports_a_module_by_a_second_name(
    imports: Path, tmp_path: Path, workers: str, processes: int
) -> None:
    if workers.startswith("dask"):
        pytest.importorskip("distributed")
    words = ("run", "--limit", "1", "--quiet", "--runs-dir", tmp_path / "runs")
    done = run_python(
        "-m", "controlplane", *words, "--workers", workers, **recording(imports)
    )

    assert done.code == 0, done.err

    recorded = imported_by_process(imports)
    assert len(recorded) >= processes
    assert [bare_names(modules) for modules in recorded] == [[]] * len(recorded)


@pytest.mark.second_tier
def test_the_mcp_server_imports_no_module_by_a_second_name(
    imports: Path, tmp_path: Path
) -> None:
    mcp = pytest.importorskip("mcp")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "loans.md").write_text("loan-02: kept until 2026-03-01\n")
    server = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "controlplane", "mcp", "docs"],
        cwd=tmp_path,
        env=clean_environment(**recording(imports)),
    )
    script = "print(harness.read('/loans.md').content)"

    async def session() -> str:
        async with mcp.Client(
            mcp.stdio_client(server, errlog=sys.__stderr__)
        ) as client:
            result = await client.call_tool("execute_script", {"code": script})
            return str(result.content)

    assert "kept until 2026-03-01" in asyncio.run(session())
    recorded = imported_by_process(imports)
    assert recorded
    assert [bare_names(modules) for modules in recorded] == [[]] * len(recorded)


def test_the_parent_of_a_run_has_no_module_under_two_names(tmp_path: Path) -> None:
    run_and_list = (
        "import sys\n"
        "from controlplane.command_line import run_command\n"
        "try: run_command(['run', '--limit', '1', '--quiet', '--runs-dir', sys.argv[1]])\n"
        "finally: print(*sys.modules)\n"
    )
    loaded = run_python("-c", run_and_list, str(tmp_path)).out.splitlines()[-1].split()

    assert is_ours(loaded)
    assert bare_names(loaded) == []


def test_forked_processes_have_no_module_under_two_names() -> None:
    module = "tests.support.loaded_modules"
    server = ForkServer(
        worker_modules=(*judging_modules(("ecom",)), module),
        function_modules=("controlplane.benchmarks.ecom", module),
    )
    try:
        with Worker(server, limits=WorkerLimits()) as worker:
            in_worker = worker.call(f"{module}:names")
        with Sandbox(
            TOOL_SCHEMA, RecordingHost(), now=NOW, seed=1, server=server
        ) as sandbox:
            result = sandbox.compute(f"{module}:function", {})
    finally:
        server.close()

    in_script_process = result["value"]

    assert isinstance(in_script_process, list)
    for loaded in (in_worker, in_script_process):
        assert is_ours(loaded)
        assert bare_names(loaded) == []
