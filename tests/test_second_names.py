"""No process of the product has a module under two names, such as `agent.loop`, too.

The clone has a folder `agent`, so a process that runs in it could import `agent.loop` besides
`controlplane.agent.loop`. The module would be loaded twice. A class of the one is not the class of
the other, so that an object would fail `isinstance`, and an `except` would not catch an error.
"""

import asyncio
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from controlplane.agent.submission import judging_modules
from controlplane.sandbox import ForkServer, Sandbox, Worker, WorkerLimits
from tests.sandbox.declared_calls import NOW, TOOL_SCHEMA
from tests.sandbox.recording_host import RecordingHost
from tests.support.command import ROOT, clean_environment, run_python

PRODUCT_PACKAGES = ("agent", "benchmarks", "gates", "prompts", "sandbox")
"""The product's packages without `controlplane.` in front."""


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


class TestLoadedModules:
    """The modules that a process has loaded have no second name.

    `modules_with_a_second_name` returns those without `controlplane.` in front. That the product's
    modules are among the loaded ones shows that the test has looked at the right process.
    """

    def test_the_main_process_of_a_run_has_no_module_under_two_names(
        self,
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

    def test_forked_processes_have_no_module_under_two_names(self) -> None:
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


class TestRecordedImports:
    """No process that a command starts imports a module by a second name.

    Each process writes the names that it imports into a file of its own in the folder `imports`. A
    process that has imported `agent.loop` instead of `controlplane.agent.loop` is a fault.
    """

    @pytest.mark.second_tier
    @pytest.mark.parametrize(
        ("workers", "least_processes"),
        [
            pytest.param("threads", 1, id="threads"),
            pytest.param("dask:local:1", 2, id="a cluster"),
        ],
    )
    def test_no_process_of_a_run_imports_a_module_by_a_second_name(
        self, imports: Path, tmp_path: Path, workers: str, least_processes: int
    ) -> None:
        """The workers of a cluster are processes of their own, which import the product, too."""
        if workers.startswith("dask"):
            pytest.importorskip("distributed")

        result = run_python(
            "-m",
            "controlplane",
            "run",
            "--limit",
            "1",
            "--quiet",
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
        self, imports: Path, tmp_path: Path
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
