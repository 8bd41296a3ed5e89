"""What a run prints if its benchmark gives odd scores: none at all, 0.5, or a bit less than 1.

`pass@1 1.000 [0.439, 1.000]` is the share of passed trials with its 95 % interval. The interval is
Wilson's for three tasks, although each was played twice: repeats of a task tell little new. A trial
without a score must not be counted.
"""

import sys
from pathlib import Path

import pytest

from tests.support.command import ROOT, run_in_process

BENCHMARK_FOLDER = ROOT.parent / "shared/endpoints/other/bench"
"""A benchmark of three tasks (heron, otter, newt), and the script of a model that solves them.
It is not part of the repository."""

CURRENT_NAMES = {
    "TaskHead": "TaskStub",
    "TrialHead": "TrialStub",
    "from sandbox.": "from controlplane.sandbox.",
    "from agent.": "from controlplane.agent.",
    "Surface": "ToolSchema",
    "OpeningCall": "InitialCall",
    "surface =": "tool_schema =",
}
"""The benchmark was written for an older version of the product. By the names that it uses, what
they are called now."""


@pytest.fixture
def benchmark_in_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The test's folder, with the benchmark's module `odd_scores` in it under current names."""
    source = (BENCHMARK_FOLDER / "odd_scores.py").read_text("utf-8")
    for older_name, current_name in CURRENT_NAMES.items():
        source = source.replace(older_name, current_name)
    (tmp_path / "odd_scores.py").write_text(source, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    # The module reads the variable ODD when it is imported, so each test imports it again.
    monkeypatch.delitem(sys.modules, "odd_scores", raising=False)
    return tmp_path


@pytest.mark.skipif(
    not BENCHMARK_FOLDER.exists(), reason="the benchmark of odd scores is not here"
)
@pytest.mark.parametrize(
    ("odd_scores", "expected_text"),
    [
        pytest.param(
            "sum",
            "pass@1 1.000 [0.439, 1.000]",
            id="0.6 + 0.3 + 0.1, a bit less than 1, is a pass",
        ),
        pytest.param(
            "half",
            "pass@1 0.000 [0.000, 0.561]",
            id="0.5 is not a pass",
        ),
        pytest.param(
            "nostart",
            "without newt, which had no score",
            id="the trials of newt cannot start",
        ),
        pytest.param(
            "none",
            "6 of 6 trials over, no scores yet",
            id="no trial has a score",
        ),
        pytest.param(
            "nan",
            "the score of otter-0 is a finite number or None",
            id="scores that are not numbers are refused",
        ),
    ],
)
def test_figures_claim_no_more_than_odd_scores_show(
    odd_scores: str, expected_text: str, benchmark_in_working_folder: Path
) -> None:
    """The benchmark's variable ODD says which scores it gives to the six trials."""
    run = run_in_process(
        "run",
        "--benchmark",
        "odd_scores",
        "--model",
        f"scripted:{BENCHMARK_FOLDER / 'words.toml'}",
        "--repeats",
        "2",
        cwd=benchmark_in_working_folder,
        ODD=odd_scores,
    )

    printed_text = " ".join(f"{run.out} {run.err}".split())
    assert expected_text in printed_text
    # The benchmark does not say that its operation only reads, so the run asks for that.
    assert "--reads define" in printed_text
