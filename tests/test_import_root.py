"""The product is imported by one name, `controlplane`, and by no other.

Its repository has packages called `agent`, `gates` and so on, which many projects have, too. They
are installed as `controlplane.agent`, so that `import agent` in a user's project finds the user's
package. Nor may a process of the product import `agent` besides `controlplane.agent`: the module
would be loaded twice, and `isinstance` would fail between the two.
"""

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
from tests.sandbox.declared_calls import NOW, TOOL_SCHEMA
from tests.sandbox.recording_host import RecordingHost
from tests.support.command import ROOT, clean_environment, run_python

# A wheel, as a package index builds it.


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


def test_a_wheel_has_one_top_level_package(wheel: Path) -> None:
    """All files are below `controlplane/`, but for the folder `....dist-info` about the package."""
    top_level_names: set[str] = set()
    for name in zipfile.ZipFile(wheel).namelist():
        top_level_name = name.partition("/")[0]
        if not top_level_name.endswith(".dist-info"):
            top_level_names.add(top_level_name)

    assert top_level_names == {"controlplane"}


def test_a_wheel_has_every_module(wheel: Path) -> None:
    """A module that git does not track would be missing for users."""
    names_in_wheel = zipfile.ZipFile(wheel).namelist()

    assert python_files(names_in_wheel) == tracked_modules()


# A user's project that has packages of the same names.

USERS_PACKAGE = """
import os
with open(os.environ["IMPORT_LOG"], "a") as log:
    log.write(__name__ + "\\n")
NAME = "the user's own " + __name__
"""
"""The code of the user's packages `agent`, `gates`, ...: each writes its name into the file that the
variable IMPORT_LOG names, when it is imported."""

USERS_PROGRAM = """
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
"""A program that uses the user's `agent`, and plays a task with the product."""

USERS_TESTS = """
import agent
import controlplane
from program import TASKS

def test_the_task_is_solved(tmp_path):
    run = controlplane.run(TASKS, model="scripted:replies.toml", runs_dir=str(tmp_path))
    assert run["stock.1"].score == 1
"""
"""A test of the user's, which does the same."""

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
"""The model's reply, which solves the task of the user's program."""

NOTEBOOK = """
import asyncio, runpy

async def cell():
    return runpy.run_path("program.py", run_name="__main__")

asyncio.run(cell())
"""
"""A program that runs `program.py` within an event loop, as a cell of Jupyter would."""

PRODUCT_PACKAGES = ("agent", "benchmarks", "gates", "prompts", "sandbox")
"""The product's packages without `controlplane.` in front."""

EVERYDAY_NAMES = (*PRODUCT_PACKAGES, "tests")
"""Names of packages that many projects have."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A user's project with packages of everyday names."""
    for name in EVERYDAY_NAMES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(USERS_PACKAGE)
    (tmp_path / "program.py").write_text(USERS_PROGRAM)
    (tmp_path / "test_program.py").write_text(USERS_TESTS)
    (tmp_path / "replies.toml").write_text(REPLIES)
    return tmp_path


def users_packages_imported_by(
    project: Path, wheel: Path, words: list[str]
) -> set[str]:
    """Run Python in a project where the wheel is installed; return which of the user's packages
    any process has imported."""
    site = project / "site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    log = project / "imported.log"
    log.touch()

    result = run_python(
        *words,
        cwd=project,
        PYTHONPATH=os.pathsep.join([str(site), str(project)]),
        IMPORT_LOG=str(log),
        HOME=str(project),
    )

    assert result.code == 0, result.out + result.err
    return set(log.read_text().split())


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
    wheel: Path, project: Path, words: list[str]
) -> None:
    """The program imports `agent`, and none of the user's other packages is imported for it."""
    imported = users_packages_imported_by(project, wheel, words)

    assert imported <= {"agent"}


SHORT_RUN = ["-m", "controlplane", "run", "--limit", "1", "--quiet"]
"""The words behind `python` that play one trial of the embedded benchmark."""


@pytest.mark.second_tier
@pytest.mark.parametrize(
    "words",
    [
        pytest.param(SHORT_RUN, id="a run"),
        pytest.param([*SHORT_RUN, "--workers", "dask:local:1"], id="a cluster"),
        pytest.param(["-m", "controlplane.sandbox", "doctor"], id="the sandbox"),
        pytest.param(["-m", "controlplane.gates", "--help"], id="the gates"),
    ],
)
def test_a_command_imports_no_package_of_the_user(
    wheel: Path, project: Path, words: list[str]
) -> None:
    """The user's packages are first on the path, so `import gates` would find the user's."""
    assert users_packages_imported_by(project, wheel, words) == set()


# Modules that processes of the product import by a second name: `agent.loop` is one of
# `controlplane.agent.loop`. A class of the one is not the class of the other, so that an object would
# fail `isinstance`, and an `except` would not catch an error.

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
"""A `sitecustomize`, which Python runs at its start: writes what each process imports into a file
that is called by the process's number."""


def modules_with_a_second_name(modules: Iterable[str]) -> list[str]:
    """Return the product's modules that were imported without `controlplane.` in front."""
    names: list[str] = []
    for module in modules:
        top_level_name = module.partition(".")[0]
        if top_level_name in PRODUCT_PACKAGES:
            names.append(module)
    return sorted(names)


def includes_product(modules: Iterable[str]) -> bool:
    """Return True if some of the modules are the product's."""
    return any(module.startswith("controlplane.") for module in modules)


@pytest.fixture
def imports(tmp_path: Path) -> Path:
    """An empty folder, in which the recorder makes a file for each process.

    The recorder itself is `sitecustomize.py` in the folder `site` beside it.
    """
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(IMPORT_RECORDER)
    (tmp_path / "imports").mkdir()
    return tmp_path / "imports"


def variables_for_recorder(imports: Path) -> dict[str, str]:
    """Return the variables with which a process and its children record what they import.

    `PYTHONPATH` also has the clone, in which a bare `import agent` would find a package.
    """
    path = os.pathsep.join([str(imports.parent / "site"), str(ROOT)])
    return {"PYTHONPATH": path, "IMPORTS": str(imports)}


def imports_of_each_process(imports: Path) -> list[list[str]]:
    """Return the modules that each process imported, for processes that imported the product."""
    modules_of_processes: list[list[str]] = []
    for record in imports.iterdir():
        modules = record.read_text().split()
        if includes_product(modules):
            modules_of_processes.append(modules)
    return modules_of_processes


@pytest.mark.second_tier
@pytest.mark.parametrize(
    ("workers", "least_processes"),
    [
        pytest.param("threads", 1, id="threads"),
        pytest.param("dask:local:1", 2, id="a cluster"),
    ],
)
def test_no_process_of_a_run_imports_a_module_by_a_second_name(
    imports: Path, tmp_path: Path, workers: str, least_processes: int
) -> None:
    """The workers of a cluster are processes of their own, which import the product, too.

    A process that has imported `agent.loop` instead of `controlplane.agent.loop` is a fault. Each
    process of the run writes the names that it imports into a file in the folder `imports`.
    """
    if workers.startswith("dask"):
        pytest.importorskip("distributed")

    result = run_python(
        *SHORT_RUN,
        "--runs-dir",
        tmp_path / "runs",
        "--workers",
        workers,
        **variables_for_recorder(imports),
    )

    assert result.code == 0, result.err
    modules_of_processes = imports_of_each_process(imports)
    assert len(modules_of_processes) >= least_processes
    for modules in modules_of_processes:
        assert modules_with_a_second_name(modules) == []


@pytest.mark.second_tier
def test_the_mcp_server_imports_no_module_by_a_second_name(
    imports: Path, tmp_path: Path
) -> None:
    """`controlplane mcp docs` offers agents a tool that runs scripts over the folder `docs`."""
    mcp = pytest.importorskip("mcp")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "loans.md").write_text("loan-02: kept until 2026-03-01\n")
    server = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "controlplane", "mcp", "docs"],
        cwd=tmp_path,
        env=clean_environment(**variables_for_recorder(imports)),
    )
    script = "print(harness.read('/loans.md').content)"

    async def run_script() -> str:
        transport = mcp.stdio_client(server, errlog=sys.__stderr__)
        async with mcp.Client(transport) as client:
            result = await client.call_tool("execute_script", {"code": script})
            return str(result.content)

    output = asyncio.run(run_script())

    assert "kept until 2026-03-01" in output
    modules_of_processes = imports_of_each_process(imports)
    assert modules_of_processes
    for modules in modules_of_processes:
        assert modules_with_a_second_name(modules) == []


def test_the_main_process_of_a_run_has_no_module_under_two_names(
    tmp_path: Path,
) -> None:
    """The program prints the names of its modules after a run."""
    run_and_print_modules = (
        "import sys\n"
        "from controlplane.command_line import run_command\n"
        "try: run_command(['run', '--limit', '1', '--quiet', '--runs-dir', sys.argv[1]])\n"
        "finally: print(*sys.modules)\n"
    )

    result = run_python("-c", run_and_print_modules, str(tmp_path))

    loaded_modules = result.out.splitlines()[-1].split()
    assert includes_product(loaded_modules)
    assert modules_with_a_second_name(loaded_modules) == []


def test_forked_processes_have_no_module_under_two_names() -> None:
    """A fork server forks workers, which judge answers, and sandboxes, which run scripts."""
    # A module whose functions return the names of the modules in their process.
    loaded_modules = "tests.support.loaded_modules"
    server = ForkServer(
        worker_modules=(*judging_modules(("ecom",)), loaded_modules),
        function_modules=("controlplane.benchmarks.ecom", loaded_modules),
    )
    with server:
        with Worker(server, limits=WorkerLimits()) as worker:
            modules_in_worker = worker.call(f"{loaded_modules}:names")
        with Sandbox(
            TOOL_SCHEMA, RecordingHost(), now=NOW, seed=1, server=server
        ) as sandbox:
            result = sandbox.compute(f"{loaded_modules}:function", {})
            modules_in_sandbox = result["value"]

    assert includes_product(modules_in_worker)
    assert modules_with_a_second_name(modules_in_worker) == []
    assert isinstance(modules_in_sandbox, list)
    assert includes_product(modules_in_sandbox)
    assert modules_with_a_second_name(modules_in_sandbox) == []
