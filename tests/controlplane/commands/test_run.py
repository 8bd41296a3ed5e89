"""`run` plays tasks of a benchmark, and `rerun` plays some of them again.

`run calendar-date.1` lets a model solve a task in a simulated world, its trial, and records each
step in a journal. `rerun last --below 1` makes a new run of the tasks whose score was below 1.
"""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from controlplane import open_journal
from controlplane.benchmarks.ecom.request_rules import FAMILIES_WITH_RULES
from controlplane.errors import UsageError
from controlplane.journal.tool_schema_text import tool_schema_from_text
from tests.support.command import (
    ROOT,
    CommandRunner,
    check_error_line,
    run_in_process,
    run_python,
)
from tests.support.recorded_run import FAILED_TASKS, RecordedRun

BENCHMARK_THAT_PRINTS_IMPORTS = """
import sys

from controlplane.benchmarks.ecom.ecom_benchmark import EcomBenchmark

SLOW_LIBRARIES = {"openai", "httpx2", "rich", "RestrictedPython"}


class ImportPrinter(EcomBenchmark):
    def start_run(self, request):
        print("imported:", *(SLOW_LIBRARIES & set(sys.modules)))
        return super().start_run(request)


def open_benchmark(argument, settings, context):
    return ImportPrinter()
"""
"""The module of a benchmark that prints, when a run starts, which slow libraries are imported:
"imported: openai rich", or only "imported:" if it is none."""


def test_a_run_without_a_model_starts_without_importing_slow_libraries(
    tmp_path: Path,
) -> None:
    """Clients for models, for example, take long to import, and are not needed here.

    The run is a process of its own, because the tests' own process has imported the libraries.
    """
    (tmp_path / "printer.py").write_text(BENCHMARK_THAT_PRINTS_IMPORTS)
    command = ("run", "calendar-date.1", "--benchmark", "printer")

    run = run_python("-m", "controlplane", *command, cwd=tmp_path)

    assert run.code == 0, run.err
    no_library_is_named = "imported:\n"
    assert run.out.startswith(no_library_is_named)


def test_a_run_without_a_model_plays_the_tasks_that_its_rules_can_solve(
    tmp_path: Path,
) -> None:
    """The benchmark brings a player, a program without a model that solves some families of tasks
    by rules. The run plays only these, and says so, and how to name a model.

    A task is called after its family, as in "calendar-date.1". No answer is the text of an
    exception that a rule has raised, such as "IndexError: list index out of range".
    """
    run = run_in_process("run", "--limit", "12", cwd=tmp_path)

    assert run.code == 0, run.err
    assert "has rules for 34 of 100 tasks" in run.out
    assert "run --model NAME" in " ".join(run.out.split())
    assert "mean score" in run.out
    (path,) = (tmp_path / "runs").glob("*.jsonl")
    with open_journal(path) as journal:
        trials = [trial.summary for trial in journal.trials.values()]
    for trial in trials:
        family, _, _ = trial.task_id.rpartition(".")
        assert family in FAMILIES_WITH_RULES
        assert "Error" not in trial.answer
        assert "out of range" not in trial.answer


@pytest.mark.parametrize("name", ["stock-count", "sku-lookup.3", "stock-count.4"])
def test_a_named_task_without_rules_is_refused_with_the_command_for_a_model(
    tmp_path: Path, name: str
) -> None:
    """The player by rules would fail at these tasks, and the score would mean nothing."""
    refused = run_in_process("run", name, cwd=tmp_path)

    assert refused.code == UsageError.exit_code
    assert f"run {name} --model NAME" in refused.err
    assert not list(tmp_path.glob("runs/*.jsonl"))


def test_the_player_by_rules_plays_any_task_if_it_is_named_as_the_model(
    tmp_path: Path,
) -> None:
    """Its name is "baseline". It has no rules for stock-count, so its answer is wrong: it says that
    there is no basket, where a number of products is asked for."""
    run = run_in_process(
        "run", "stock-count.2", "--model", "baseline", "--json", cwd=tmp_path
    )

    assert run.code == 0, run.err
    answer = run.json["trials"][0]["answer"]
    assert "out of range" not in answer
    assert "There is no open basket of yours." in answer


def test_the_platform_is_asked_while_the_client_for_models_is_being_imported(
    tmp_path: Path,
) -> None:
    """The benchmark is a server, the platform, and the first request to it takes a while.

    A module "openai" that takes a minute to import replaces the client for models. The
    platform gets its first request before that minute is over.
    """
    (tmp_path / "openai.py").write_text("import time; time.sleep(60)")
    words = ("run", "--benchmark", "bitgn:x", "--model", "m", "--rule-sets", "none")

    with socket.create_server(("127.0.0.1", 0)) as platform:
        _, port = platform.getsockname()
        variables = {
            "BITGN_HOST": f"http://127.0.0.1:{port}",
            "BITGN_API_KEY": "k",
            "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
            "OPENAI_API_KEY": "none",
            "PYTHONPATH": f"{tmp_path}:{ROOT}",
        }
        run = subprocess.Popen(
            [sys.executable, "-m", "controlplane", *words, "--quiet"],
            cwd=tmp_path,
            env=os.environ | variables,
        )
        try:
            platform.settimeout(30)  # less than the import takes
            connection, _ = platform.accept()
            with connection:
                first_request = connection.recv(4096)
                assert b"/GetBenchmark" in first_request
        finally:
            run.kill()
            run.wait()


@pytest.fixture
def first_run(recorded: RecordedRun, tmp_path: Path) -> Path:
    """The journal of the run "first" of 25 tasks, copied to the working folder."""
    shutil.copytree(recorded.folder / "runs", tmp_path / "runs")
    return tmp_path / "runs" / recorded.journal.name


@pytest.mark.parametrize(
    ("flags", "expected_tasks"),
    [
        pytest.param(("--below", "1"), FAILED_TASKS, id="a score below 1"),
        pytest.param(
            # The trial seat-005-t4 is that of the task seat-005.
            ("--trials", "seat-003", "--trials", "seat-005-t4"),
            ["seat-003", "seat-005"],
            id="by the names of a task and of a trial",
        ),
        pytest.param(
            # Five trials have a score below 1. No trial has failed to end, so --failed adds nothing.
            ("--below", "1", "--failed", "--trials", "seat-001"),
            ["seat-001", *FAILED_TASKS],
            id="what any of three options selects",
        ),
    ],
)
def test_a_rerun_plays_the_selected_tasks_and_names_its_parent(
    flags: tuple[str, ...],
    expected_tasks: list[str],
    run_command_here: CommandRunner,
    first_run: Path,
) -> None:
    """The parent is the run that is repeated; its journal's first event names it."""
    rerun = run_command_here("rerun", "first", *flags, "--name", "again", "--json").json

    assert [trial["task_id"] for trial in rerun["trials"]] == expected_tasks
    opened = open_journal(Path(rerun["journal"])).opened
    assert opened.name == "again"
    assert opened.parent is not None
    assert opened.parent.run == first_run.stem
    assert opened.parent.how == "rerun"
    assert run_command_here("replay", "again", "--verify").code == 0


def test_a_run_and_its_rerun_can_be_compared_as_one_run(
    run_command_here: CommandRunner, first_run: Path
) -> None:
    """`compare` joins runs with a plus sign: the five failed tasks count as played again, the other
    20 as in the first run. So every task has a partner in the run that it is compared with."""
    run_command_here("rerun", "first", "--below", "1", "--name", "again")

    both_runs = f"{first_run.stem}+again"
    comparison = run_command_here("compare", "first", both_runs, "--json").json

    assert len(comparison["tasks"]) == 25
    assert comparison["unpaired"] == []


@pytest.mark.parametrize(
    ("flags", "message_part"),
    [
        pytest.param(("--failed",), "list them with: ", id="no trial failed to end"),
        pytest.param(
            ("--trials", "seat-999"), "no trial 'seat-999'", id="no such trial"
        ),
        pytest.param(
            ("--base-url", "ftp://x"), "--base-url", id="a wrong address of the model"
        ),
    ],
)
def test_a_rerun_that_cannot_be_played_is_refused_and_leaves_no_journal(
    flags: tuple[str, ...],
    message_part: str,
    run_command_here: CommandRunner,
    first_run: Path,
) -> None:
    """The run "first" is over: all 25 trials have ended, five with a wrong answer."""
    refused = run_command_here("rerun", "first", *flags)

    check_error_line(refused, UsageError.exit_code, message_part)
    assert list(first_run.parent.glob("*.jsonl")) == [first_run]


def functions_offered_to_scripts(folder: Path, *options: str) -> list[str]:
    """Run a task with these options, and return which functions of the shop its scripts could call.

    `["who_asks", "stock_at", ...]`, without operations of its files such as `read`. Both are in the
    tool schema, which the journal has with the start of the trial.
    """
    model = f"scripted:{ROOT}/docs/examples/rejection.toml"
    command = ("run", "calendar-date.1", "--model", model, "--quiet", *options)
    assert run_in_process(*command, cwd=folder).code == 0

    (path,) = folder.glob("runs/*.jsonl")
    with open_journal(path) as journal:
        (trial,) = journal.trials.values()
        started = trial.record.started
    assert started is not None
    functions = []
    for operation in tool_schema_from_text(started.tool_schema).operations:
        if operation.is_function:
            functions.append(operation.name)
    return functions


def test_scripts_are_offered_the_functions_of_the_benchmark(tmp_path: Path) -> None:
    """They compute what models often get wrong, such as how many lamps a branch has in stock."""
    assert "stock_at" in functions_offered_to_scripts(tmp_path)
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0


def test_without_the_part_helpers_scripts_are_offered_no_functions(
    tmp_path: Path,
) -> None:
    """`--parts -helpers` switches a part of the solver off, to measure what it is worth."""
    assert functions_offered_to_scripts(tmp_path, "--parts", "-helpers") == []
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0
