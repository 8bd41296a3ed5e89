"""The shape of the house: who may import whom, and what is imported when."""

import re
import shutil
from pathlib import Path

import pytest

from tests.support.command import run_python
from tests.support.product_files import ROOT, package_of, paths


def modules_of_run(*words: str) -> list[str]:
    """Return the modules that a run imports in the process of trials."""
    code = (
        "import sys, controlplane.__main__, controlplane.command_line as line\n"
        "try: line.run_command(['run', '--limit', '1', '--quiet', *sys.argv[1:]])\n"
        "finally: print(*sys.modules)\n"
    )
    return run_python("-c", code, *words).out.splitlines()[-1].split()


def test_arrows_point_one_way_without_a_circle() -> None:
    pytest.importorskip("importlinter")
    done = run_python(
        "-c",
        "from importlinter.cli import lint_imports_command as main; main()",
        "--no-cache",
    )

    assert done.code == 0, done.out


WORDS_OF_SHOPS = re.compile(
    r"(?i)(?<![a-z])(?:shops?|baskets?|carts?|checkouts?|discounts?|skus?|catalogues?|receipts?|fraud\w*|payments?"
    r"|customers?|3-?ds|inventor(?:y|ies)|stock|merchants?|warehouses?|embargo\w*|crosslists?|couriers?|purchases?"
    r"|vouchers?|invoices?|refund (?:of|the|a|request)|dispatch wave|/bin/(?:sql|checkout|discount|payments|refund"
    r"|availability|id)|/proc/(?!self)\w+|AGENTS\.MD)(?![a-z])"
)


@pytest.mark.parametrize(
    "package", ["agent", "gates", "sandbox", "controlplane", "prompts"]
)
def test_no_word_of_a_shop_stands_outside_the_home_of_what_is_known_of_shops(
    package: str,
) -> None:
    texts = [
        path
        for ending in ("py", "md", "j2")
        for path in (ROOT / package).rglob(f"*.{ending}")
    ]

    assert texts
    for path in texts:  # A rule set is loaded by the name of its module.
        text = path.read_text(encoding="utf-8").replace(
            "controlplane.benchmarks.shop", ""
        )
        assert WORDS_OF_SHOPS.findall(text) == [], path


def test_help_imports_nothing_that_it_does_not_show() -> None:
    code = (
        "import sys\n"
        "from controlplane.command_line import cli\n"
        "try: cli(['--help'])\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)\n"
    )
    done = run_python("-c", code)

    assert "Commands:" in done.out
    loaded = done.err.split()
    slow = {
        "openai",
        "httpx2",
        "jinja2",
        "pydantic",
        "pygments",
        "rich",
        "RestrictedPython",
        "multiprocessing",
    }
    assert sorted({module.partition(".")[0] for module in loaded} & slow) == []
    ours = [module for module in loaded if package_of(module)]
    assert "controlplane.command_line" in ours
    assert [
        our for our in ours if package_of(our) in ("sandbox", "gates", "benchmarks")
    ] == []
    assert [
        our
        for our in ours
        if our.startswith(("controlplane.lifecycle", "controlplane.journal"))
    ] == []


def test_importing_any_module_prints_nothing_reads_no_environment_and_starts_nothing() -> (
    None
):
    names = [
        name
        for name, path in paths().items()
        if path.name != "__main__.py"
        and "server" not in path.parts
        # These extend another package, pytest or Inspect, which they import.
        and path.stem not in ("pytest_plugin", "container_sandbox", "trial_sandbox")
    ]
    code = (
        "import importlib, os, sys, threading\n"
        "class Watched(dict):\n"
        "    def __getitem__(self, key): sys.exit(f'read {key}')\n"
        "import pydantic, httpx2, click, rich.console, rich.table, rich.live, rich.syntax, RestrictedPython\n"
        "real = os.environ\n"
        f"for name in {names!r}:\n"
        "    os.environ = Watched()\n"
        "    importlib.import_module(name)\n"
        "os.environ = real\n"
        "assert threading.active_count() == 1\n"
        "assert 'openai' not in sys.modules\n"
    )
    done = run_python("-c", code)

    assert (done.err, done.out, done.code) == ("", "", 0)


def test_a_run_without_a_model_imports_what_it_uses(tmp_path: Path) -> None:
    used = [
        name
        for name in modules_of_run("--workers", "threads", "--runs-dir", str(tmp_path))
        if name in paths()
    ]

    assert "controlplane.lifecycle.run_lifecycle" in used
    unused = (
        "controlplane.agent.exoskeleton",
        "controlplane.mcp.servers",
        "controlplane.mcp.tool_environment",
        "controlplane.replay",
        "controlplane.workers",
    )
    assert [name for name in used if name.startswith(unused)] == []


SCRIPT = """
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


def test_the_process_of_trials_loads_nothing_that_computes_more_than_linearly(
    tmp_path: Path,
) -> None:
    (tmp_path / "replies.toml").write_text(f"[[reply]]\ncode = '''{SCRIPT}'''\n")
    words = (
        "--model",
        f"scripted:{tmp_path}/replies.toml",
        "--isolation",
        "process",
        "--runs-dir",
        str(tmp_path),
    )
    loaded = modules_of_run(*words)

    assert "controlplane.agent.submission" in loaded
    assert {"difflib", "controlplane.benchmarks.ecom.records_sql"}.isdisjoint(loaded)


RECORDED = ROOT / "runs/sample.jsonl"


@pytest.mark.parametrize(
    "words", ["show {run}", "runs --runs-dir {folder}", "replay {run}"]
)
def test_looking_at_a_run_imports_no_rules_and_no_cluster(
    words: str, tmp_path: Path
) -> None:
    run = shutil.copy(RECORDED, tmp_path)
    code = (
        "import sys\n"
        "from controlplane.command_line import run_command\n"
        "try: run_command(sys.argv[1:])\n"
        "finally: print(*sys.modules, file=sys.stderr)\n"
    )
    done = run_python("-c", code, *words.format(run=run, folder=tmp_path).split())
    ours = [name for name in done.err.splitlines()[-1].split() if package_of(name)]

    assert "controlplane.journal.journal_reader" in ours
    types = {
        "controlplane.gates",
        "controlplane.gates.evidence",
        "controlplane.gates.paths",
        "controlplane.gates.python_syntax",
        "controlplane.gates.records",
        "controlplane.gates.submission",
        "controlplane.gates.text_folding",
        "controlplane.gates.text_index",
        "controlplane.gates.trial",
        "controlplane.gates.trial.accessed_texts",
        "controlplane.gates.trial.accesses",
        "controlplane.gates.trial.changes",
        "controlplane.gates.trial.references",
        "controlplane.gates.trial.script_runs",
    }
    assert {
        name for name in ours if package_of(name) in ("gates", "benchmarks")
    } <= types
    others = ("controlplane.workers", "controlplane.replay", "controlplane.mcp")
    assert [name for name in ours if name.startswith(others)] == []
