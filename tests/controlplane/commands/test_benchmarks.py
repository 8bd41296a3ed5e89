"""`benchmarks show NAME` describes a benchmark: its tasks, and the options that `--set` changes.

For the benchmark "ecom" it prints a line such as "--set policy=…  ... (open, blind)", and for each
task a preview of what the agent will be asked.
"""

from pathlib import Path
from typing import Any

import pytest

from controlplane.errors import UsageError
from controlplane.journal.journal_reader import open_journal
from tests.support.command import CommandRunner, run_in_process

SEED_AND_OPTION = ("--seed", "7", "--set", "policy=blind")


@pytest.fixture(scope="module")
def shown_benchmark(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The benchmark as shown with a seed and an option. The previews of its 100 tasks take long."""
    words = ("benchmarks", "show", "ecom", *SEED_AND_OPTION, "--json")
    return run_in_process(*words, cwd=tmp_path_factory.mktemp("shown")).json


def test_the_preview_of_a_task_is_what_such_a_run_asks(
    shown_benchmark: dict[str, Any], run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """A seed decides the names and numbers in the tasks. The run plays two of them."""
    run_command_here("run", "--limit", "2", *SEED_AND_OPTION, "--quiet")

    previews = {task["task_id"]: task["preview"] for task in shown_benchmark["tasks"]}
    (journal,) = tmp_path.glob("runs/*.jsonl")
    trials = list(open_journal(journal).trials.values())
    assert len(trials) == 2
    for trial in trials:
        started = trial.record.started
        assert started is not None
        assert started.instruction == previews[started.task_id]


def test_a_benchmark_lists_its_options(run_command_here: CommandRunner) -> None:
    shown = run_command_here("benchmarks", "show", "ecom")

    assert "--set policy=…" in shown.out
    assert "(open, blind)" in shown.out


def test_a_benchmark_shows_its_options_as_set(shown_benchmark: dict[str, Any]) -> None:
    assert shown_benchmark["policy"] == "blind"
    option_names = [option["name"] for option in shown_benchmark["options"]]
    assert option_names == ["policy", "profile", "names", "wordings"]


def test_a_benchmark_is_not_shown_with_a_wrong_option(
    run_command_here: CommandRunner,
) -> None:
    refused = run_command_here("benchmarks", "show", "ecom", "--set", "polcy=blind")

    assert refused.code == UsageError.exit_code
    assert "did you mean 'policy'?" in refused.err
