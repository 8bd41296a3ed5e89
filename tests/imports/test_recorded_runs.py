"""Commands that only look at a recorded run do not import what plays or judges one.

`show`, `runs` and `replay` only read a journal, the file of a run. (With `--verify`, `replay` also plays
the run again, for which it imports the package `replay`; without, it only prints what happened.) The
commands import no benchmarks, no clusters and no MCP, and of the gates, the checks of answers, only
the modules that define what a journal records about them.
"""

import shutil
from pathlib import Path

import pytest

from tests.imports.loaded_modules import modules_loaded_by, modules_loaded_by_run
from tests.support.command import run_python
from tests.support.product_files import ROOT, package_of, paths

# `controlplane mcp call TOOL` imports nothing that plays trials, so that a call is quick.
#
# A program that works on a trial may start the command for each of its calls.


def test_a_command_that_calls_a_tool_imports_nothing_that_plays_trials() -> None:
    """The two modules are that of the command, and the one by which it connects to the server."""
    program = """
import sys
import controlplane.commands.mcp.mcp
import controlplane.mcp.tool_server
print(*sys.modules)
"""

    result = run_python("-c", program)

    loaded_modules = result.out.split()
    assert "controlplane.mcp.tool_server" in loaded_modules, result.err
    for module in loaded_modules:
        assert not module.startswith("controlplane.agent.loop"), module
        assert not module.startswith("controlplane.lifecycle"), module


# A user's program can import any module of the product without an effect that it did not ask for.
#
# Nothing is printed, no variable of the environment is read, and no thread is started. The library
# `openai`, whose import takes long, is not imported.


def importable_modules() -> list[str]:
    """Return the product's modules that a user's program may import."""
    # These extend pytest or Inspect, and import it, so they are for users who have it.
    extensions = ("pytest_plugin", "container_sandbox", "trial_sandbox")
    names: list[str] = []
    for name, path in paths().items():
        # Users start programs and servers, and do not import them.
        is_program = path.name == "__main__.py" or "server" in path.parts
        if not is_program and path.stem not in extensions:
            names.append(name)
    return names


PROGRAM_THAT_IMPORTS_MODULES = """
import gc, importlib, os, sys, threading
gc.disable()  # All that is imported stays, so that a search for garbage would find nothing.
# The libraries of others may read the environment at their import, so they are imported before.
import click, httpx2, pydantic, RestrictedPython
import rich.console, rich.live, rich.syntax, rich.table

class ForbiddenEnvironment(dict):
    def __getitem__(self, key):
        sys.exit(f"read {key}")

    # Python's own modules use only `get` when they are imported, so `get` asks who calls it.
    def get(self, key, default=None):
        caller = sys._getframe(1).f_globals["__name__"]
        return self[key] if caller.startswith("controlplane") else default

environment = os.environ
for name in sys.argv[1:]:
    os.environ = ForbiddenEnvironment()
    importlib.import_module(name)
os.environ = environment

assert threading.active_count() == 1
assert "openai" not in sys.modules
"""
"""Imports the modules that are its arguments. Meanwhile, `os.environ` is a mapping that ends the
process with a message if the product reads a variable."""


def test_importing_a_module_prints_nothing_reads_no_environment_and_starts_nothing() -> (
    None
):
    result = run_python("-c", PROGRAM_THAT_IMPORTS_MODULES, *importable_modules())

    assert result.err == ""
    assert result.out == ""
    assert result.code == 0


# `controlplane --help` imports no library that takes long to import, so that it is quick.
#
# Such libraries are imported by the commands that need them.


def test_help_imports_no_slow_library_and_no_part_that_plays_trials() -> None:
    program = """
import sys
from controlplane.command_line import cli
try:
    cli(["--help"])
except SystemExit:
    pass
print(*sys.modules, file=sys.stderr)  # The names of all modules that were imported
"""

    result = run_python("-c", program)

    assert "Commands:" in result.out
    loaded_modules = result.err.split()
    assert "controlplane.command_line" in loaded_modules

    loaded_libraries = {module.partition(".")[0] for module in loaded_modules}
    slow_libraries = {
        "openai",
        "httpx2",
        "jinja2",
        "pydantic",
        "pygments",
        "rich",
        "RestrictedPython",
        "multiprocessing",
    }
    assert loaded_libraries & slow_libraries == set()
    # The parts of the product that play trials, and those that read and write journals.
    for module in loaded_modules:
        assert package_of(module) not in ("sandbox", "gates", "benchmarks"), module
        assert not module.startswith("controlplane.lifecycle"), module
        assert not module.startswith("controlplane.journal"), module


# A run imports only what its trials need, and nothing that could compute for minutes.
#
# A short run plays one trial. `modules_loaded_by_run` returns the names of the modules that are
# loaded then in the process that plays it: `["sys", "controlplane.command_line", …]`.

SCRIPT_WITH_SEARCHES = """
harness.search("a.c", "/docs")
print(harness.exec("/bin/sql", stdin="select count(*) from products").stdout)
print(harness.exec("/bin/jq", ["."], stdin="{}").stdout)
try:
    harness.read("/docs/chekout.md")
except FileNotFoundError as error:
    print(error)
scratchpad["answer"], scratchpad["outcome"], scratchpad["refs_why"] = "no", "OUTCOME_NONE_UNSUPPORTED", {}
harness.answer(scratchpad, lambda sp: sp["answer"] == "no")
"""
"""A model's script: a search, SQL, a filter by jq, and a read of a misspelt path, whose error names
the most similar path. Each could compute for minutes on a hostile text."""


def test_a_run_imports_nothing_for_other_kinds_of_runs(
    modules_of_run: list[str],
) -> None:
    """The run plays one trial of the embedded benchmark on a thread."""
    assert "controlplane.lifecycle.run_lifecycle" in modules_of_run
    modules_of_other_runs = (
        "controlplane.agent.exoskeleton",  # for `--agent exoskeleton`
        "controlplane.mcp",  # for tools of MCP servers
        "controlplane.replay",  # for the command `replay --verify`
        "controlplane.workers",  # for workers of a cluster
    )
    for module in modules_of_run:
        assert not module.startswith(modules_of_other_runs), module


def test_slow_computations_are_left_to_worker_processes(tmp_path: Path) -> None:
    """A worker process can be killed after a time limit; the process that plays trials
    cannot."""
    replies = tmp_path / "replies.toml"
    replies.write_text(f"[[reply]]\ncode = '''{SCRIPT_WITH_SEARCHES}'''\n")

    loaded_modules = modules_loaded_by_run(
        "--model",
        f"scripted:{replies}",
        "--isolation",
        "process",
        "--runs-dir",
        tmp_path,
    )

    # The script has run up to its answer.
    assert "controlplane.agent.trial_gates" in loaded_modules
    # The modules for similar paths and for SQL, whose time can grow faster than their input.
    slow_computations = {"difflib", "controlplane.benchmarks.ecom.records_sql"}
    assert slow_computations.isdisjoint(loaded_modules)


GATE_MODULES_WITHOUT_RULES = {
    "controlplane.gates",
    "controlplane.gates.evidence",
    "controlplane.gates.paths",
    "controlplane.gates.quoting",
    "controlplane.gates.python_syntax",
    "controlplane.gates.records",
    "controlplane.gates.submission",
    "controlplane.gates.text_folding",
    "controlplane.gates.trial",
    "controlplane.gates.verdicts",
}
"""The modules that define what a journal records about the gates. If a command imports another one,
add it here only if it judges nothing."""


@pytest.mark.parametrize(
    "command", ["show {run}", "runs --runs-dir {folder}", "replay {run}"]
)
def test_looking_at_a_run_imports_nothing_that_plays_or_judges_one(
    command: str, tmp_path: Path
) -> None:
    run_in_repository = ROOT / "runs/sample.jsonl"
    run = shutil.copy(run_in_repository, tmp_path)
    words = command.format(run=run, folder=tmp_path).split()

    loaded_modules = modules_loaded_by(*words)

    assert "controlplane.journal.journal_reader" in loaded_modules
    for module in loaded_modules:
        if package_of(module) in ("gates", "benchmarks"):
            assert module in GATE_MODULES_WITHOUT_RULES
        assert not module.startswith("controlplane.workers"), module
        assert not module.startswith("controlplane.replay"), module
        assert not module.startswith("controlplane.mcp"), module
