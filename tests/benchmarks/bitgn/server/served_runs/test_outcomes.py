"""Outcomes of served trials: clients know those of the platform, and a benchmark may have its own.

{"outcome": "OUTCOME_DENIED_SECURITY"}    is graded as    OUTCOME_REFUSED
"""

from pathlib import Path

import pytest

from controlplane import BenchmarkContext
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.configuration.named_modules import open_benchmark
from controlplane.sandbox.interface.outcomes import GENERAL_OUTCOMES
from tests.benchmarks.bitgn.served_shop import raw_client_of

TASK = 'instruction = "May I read this?"\n[expected]\noutcome = "{outcome}"\n'
DESK = """
from controlplane import TaskEnvironment, ToolBenchmark
class Desk(ToolBenchmark):
    name = "desk"
    def task_ids(self):
        return ["read"]
    def generate(self, task_id):
        return "May I read this?", TaskEnvironment(files={{"/docs/a.md": "For Ada alone."}})
    def grade(self, task_id, environment):
        return environment.outcome == "{outcome}"
open_benchmark = Desk
"""


@pytest.mark.parametrize(
    "outcome",
    [
        pytest.param("OUTCOME_REFUSED", id="a benchmark with the general outcomes"),
        pytest.param("OUTCOME_DENIED_SECURITY", id="one that names the platform's"),
    ],
)
@pytest.mark.parametrize("written_as", ["folder", "module"])
def test_the_outcome_of_a_client_is_graded_as_the_benchmarks_own(
    written_as: str, outcome: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if written_as == "folder":
        (tmp_path / "read").mkdir()
        (tmp_path / "read/task.toml").write_text(TASK.format(outcome=outcome))
        spec, benchmark_id = f"folder:{tmp_path}", "folder"
    else:
        spec = f"desk_with_{outcome.lower()}"
        benchmark_id = "desk"
        (tmp_path / f"{spec}.py").write_text(DESK.format(outcome=outcome))
        monkeypatch.syspath_prepend(tmp_path)
    opened = open_benchmark(spec, {}, BenchmarkContext())
    options = ServerOptions(outcomes=opened.outcomes or GENERAL_OUTCOMES)

    with raw_client_of(opened.benchmark, options) as client:
        run = client.harness("StartRun", benchmarkId=benchmark_id)
        (trial_id,) = run["trialIds"]
        runtime_url = client.start_trial(trial_id)
        client.runtime(
            runtime_url,
            "Answer",
            message="It is for Ada alone.",
            outcome="OUTCOME_DENIED_SECURITY",
            refs=[],
        )
        client.harness("EndTrial", trialId=trial_id)
        client.harness("SubmitRun", runId=run["runId"], force=False)
        trial = client.harness("GetTrial", trialId=trial_id)

    assert trial["score"] == 1, trial
