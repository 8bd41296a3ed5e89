"""Commands that only look at a recorded run do not import what plays or judges one.

`show`, `runs` and `replay` only read a journal, the file of a run. (With `--verify`, `replay` also plays
the run again, for which it imports the package `replay`; without, it only prints what happened.) The
commands import no benchmarks, no clusters and no MCP, and of the gates, the checks of answers, only
the modules that define what a journal records about them.
"""

import shutil
from pathlib import Path

import pytest

from tests.imports.loaded_modules import modules_loaded_by
from tests.support.product_files import ROOT, package_of

GATE_MODULES_WITHOUT_RULES = {
    "controlplane.gates",
    "controlplane.gates.evidence",
    "controlplane.gates.paths",
    "controlplane.gates.quoting",
    "controlplane.gates.gate_policy",
    "controlplane.gates.python_syntax",
    "controlplane.gates.records",
    "controlplane.gates.submission",
    "controlplane.gates.surrogates",
    "controlplane.gates.text_folding",
    "controlplane.gates.text_index",
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
