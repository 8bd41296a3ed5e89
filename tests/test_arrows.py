"""Which module of the product imports which, and when.

Arrows of the architecture point one way: `agent` may import `sandbox`, and not the reverse (the
rules are in pyproject.toml). What a command does not need it does not import, so that
`controlplane --help` is quick and a trial's process has little that could fail.
"""

import re
import shutil
from pathlib import Path

import pytest

from tests.support.command import run_python
from tests.support.product_files import ROOT, package_of, paths

WORDS_OF_SHOPS = re.compile(
    r"(?i)(?<![a-z])(?:shops?|baskets?|carts?|checkouts?|discounts?|skus?|catalogues?|receipts?|fraud\w*|payments?"
    r"|customers?|3-?ds|inventor(?:y|ies)|stock|merchants?|warehouses?|embargo\w*|crosslists?|couriers?|purchases?"
    r"|vouchers?|invoices?|refund (?:of|the|a|request)|dispatch wave|/bin/(?:sql|checkout|discount|payments|refund"
    r"|availability|id)|/proc/(?!self)\w+|AGENTS\.MD)(?![a-z])"
)
"""Finds words, tools and paths that only an agent for a shop knows, such as `basket`, `/bin/sql`
or `/proc/carts`, but not `/proc/self`, which belongs to Linux."""


class TestArchitecture:
    """Each package imports only those that it may, and knows only its own field.

    The packages of benchmarks know shops, and all others serve any task.
    """

    def test_arrows_point_one_way_without_a_circle(self) -> None:
        """The tool import-linter reads the rules and checks every import of the product."""
        pytest.importorskip("importlinter")

        result = run_python(
            "-c",
            "from importlinter.cli import lint_imports_command as main; main()",
            "--no-cache",
        )

        assert result.code == 0, result.out

    @pytest.mark.parametrize(
        "package", ["agent", "gates", "sandbox", "controlplane", "prompts"]
    )
    def test_only_the_packages_of_benchmarks_have_words_of_shops(
        self, package: str
    ) -> None:
        """Whatever is specific to shops is in `benchmarks/shop`; everything else serves any
        task."""
        texts: list[Path] = []
        for ending in ("py", "md", "j2"):
            texts += (ROOT / package).rglob(f"*.{ending}")

        assert texts
        for path in texts:
            # A rule set is loaded by the name of its module, which may be written out.
            text = path.read_text("utf-8").replace("controlplane.benchmarks.shop", "")
            assert WORDS_OF_SHOPS.findall(text) == [], path


class TestQuickHelp:
    """`--help` imports nothing that it does not show, so that it is quick.

    Libraries such as `pydantic` or `openai` take long to import. They are imported by the commands
    that need them.
    """

    def test_help_imports_nothing_that_it_does_not_show(self) -> None:
        """The program prints the help, and then the names of all modules that were imported for
        it."""
        code = """
import sys
from controlplane.command_line import cli
try:
    cli(["--help"])
except SystemExit:
    pass
print(*sys.modules, file=sys.stderr)
"""

        result = run_python("-c", code)

        assert "Commands:" in result.out
        loaded_modules = result.err.split()
        loaded_libraries = {module.partition(".")[0] for module in loaded_modules}
        # Libraries that take long to import.
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
        assert "controlplane.command_line" in loaded_modules
        for module in loaded_modules:
            assert package_of(module) not in ("sandbox", "gates", "benchmarks"), module
            assert not module.startswith("controlplane.lifecycle"), module
            assert not module.startswith("controlplane.journal"), module


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
import importlib, os, sys, threading
# Libraries may read the environment when they are imported.
import click, httpx2, pydantic, RestrictedPython
import rich.console, rich.live, rich.syntax, rich.table

class ForbiddenEnvironment(dict):
    def __getitem__(self, key):
        sys.exit(f"read {key}")

    def get(self, key, default=None):
        # Python's own modules read variables by `get` when they are imported; ours may not.
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
"""Imports the modules that it is given. While it does, `os.environ` is a mapping that ends the
process with a message when it is read. At the end, no thread may have been started."""


class TestImportingModules:
    """A user's program can import any module without an effect that it did not ask for.

    Nothing is printed, no variable of the environment is read, and no thread is started.
    """

    def test_importing_a_module_prints_nothing_reads_no_environment_and_starts_nothing(
        self,
    ) -> None:
        result = run_python("-c", PROGRAM_THAT_IMPORTS_MODULES, *importable_modules())

        assert result.err == ""
        assert result.out == ""
        assert result.code == 0


COMMAND_THAT_PRINTS_MODULES = """
import sys
from controlplane.command_line import run_command
try:
    run_command(sys.argv[1:])
finally:
    print(*sys.modules, file=sys.stderr)
"""
"""A program: runs a command of `controlplane`, and then writes the names of all modules that
are loaded as the last line to standard error."""


def modules_loaded_by(*words: str | Path) -> list[str]:
    """Return all modules that a command has loaded when it ends.

    `modules_loaded_by("show", "last")` -> `["sys", "controlplane.command_line", ...]`
    """
    result = run_python("-c", COMMAND_THAT_PRINTS_MODULES, *words)
    return result.err.splitlines()[-1].split()


def modules_loaded_by_run(*options: str | Path) -> list[str]:
    """Return the modules that a short run loads in the process that plays its trials."""
    return modules_loaded_by("run", "--limit", "1", "--quiet", *options)


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
"""A model's script that needs a search, SQL, JSON filters, and a hint at a misspelt path: all
that could take a hostile text and compute for minutes."""


class TestRuns:
    """A run imports only what its trials need, and nothing that could compute for minutes.

    A short run plays one trial. `modules_loaded_by_run` returns the modules of the process that
    plays it.
    """

    def test_a_run_imports_nothing_for_other_kinds_of_runs(
        self, tmp_path: Path
    ) -> None:
        """The run plays one trial of the embedded benchmark on a thread."""
        loaded_modules = modules_loaded_by_run(
            "--workers", "threads", "--runs-dir", tmp_path
        )

        assert "controlplane.lifecycle.run_lifecycle" in loaded_modules
        # What a run does not need without the second solver, MCP, a replay and a cluster.
        modules_of_other_runs = (
            "controlplane.agent.exoskeleton",
            "controlplane.mcp.servers",
            "controlplane.mcp.offered_servers",
            "controlplane.mcp.tool_environment",
            "controlplane.replay",
            "controlplane.workers",
        )

        for module in loaded_modules:
            assert not module.startswith(modules_of_other_runs), module

    def test_slow_computations_are_left_to_worker_processes(
        self, tmp_path: Path
    ) -> None:
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

        assert "controlplane.agent.submission" in loaded_modules
        # Modules whose time can grow faster than their input: similar names, and SQL.
        slow_computations = {"difflib", "controlplane.benchmarks.ecom.records_sql"}
        assert slow_computations.isdisjoint(loaded_modules)


GATE_MODULES_WITHOUT_RULES = {
    "controlplane.gates",
    "controlplane.gates.evidence",
    "controlplane.gates.paths",
    "controlplane.gates.plain_data",
    "controlplane.gates.gate_policy",
    "controlplane.gates.python_syntax",
    "controlplane.gates.quoting",
    "controlplane.gates.records",
    "controlplane.gates.submission",
    "controlplane.gates.surrogates",
    "controlplane.gates.text_folding",
    "controlplane.gates.text_index",
    "controlplane.gates.trial",
    "controlplane.gates.trial.accessed_texts",
    "controlplane.gates.trial.accesses",
    "controlplane.gates.trial.changes",
    "controlplane.gates.trial.references",
    "controlplane.gates.trial.script_runs",
    "controlplane.gates.trial.seen_text",
    "controlplane.gates.trial.text_kind",
    "controlplane.gates.verdicts",
}
"""The modules that define what a journal records about the gates (the checks of answers)."""


class TestRecordedRuns:
    """Commands that only look at a run do not import what plays or judges one."""

    @pytest.mark.parametrize(
        "command", ["show {run}", "runs --runs-dir {folder}", "replay {run}"]
    )
    def test_looking_at_a_run_imports_no_rules_and_no_cluster(
        self, command: str, tmp_path: Path
    ) -> None:
        """`show`, `runs` and `replay` only read what is recorded."""
        # A journal that is part of the repository.
        recorded_run = ROOT / "runs/sample.jsonl"
        run = shutil.copy(recorded_run, tmp_path)
        words = command.format(run=run, folder=tmp_path).split()

        loaded_modules = modules_loaded_by(*words)

        assert "controlplane.journal.journal_reader" in loaded_modules
        for module in loaded_modules:
            if package_of(module) in ("gates", "benchmarks"):
                assert module in GATE_MODULES_WITHOUT_RULES
            assert not module.startswith("controlplane.workers"), module
            assert not module.startswith("controlplane.replay"), module
            assert not module.startswith("controlplane.mcp"), module
