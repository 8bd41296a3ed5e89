"""`run` plays tasks of a benchmark.

`run calendar-date.1` lets a model solve a task in a simulated world, its trial, and records each
step in a journal. Without a model, a program of the benchmark plays the tasks that its rules solve.
"""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from controlplane import open_journal
from controlplane.benchmarks.ecom.request_rules import FAMILIES_WITH_RULES
from controlplane.errors import UsageError
from controlplane.journal.tool_schema_text import tool_schema_from_text
from tests.support.command import ROOT, run_in_process, run_python

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


SLOW_MODULE = """
import time
time.sleep(60)
"""


class TestQuickStarts:
    """A run does not wait for libraries that are imported slowly.

    Clients for models, such as `openai`, take long to import.
    """

    def test_a_run_without_a_model_starts_without_importing_slow_libraries(
        self, tmp_path: Path
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

    def test_the_platform_is_asked_while_the_client_for_models_is_being_imported(
        self, tmp_path: Path
    ) -> None:
        """The benchmark is a server, the platform, which may be slow to answer. So it is asked at
        once.

        The client for models, `openai`, is replaced by a module that takes a minute to import. The
        platform gets its first request before that minute is over.
        """
        (tmp_path / "openai.py").write_text(SLOW_MODULE)
        benchmark = ("--benchmark", "bitgn:x", "--rule-sets", "none")
        words = ("run", *benchmark, "--model", "m", "--quiet")

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
                [sys.executable, "-m", "controlplane", *words],
                cwd=tmp_path,
                env=os.environ | variables,
            )
            try:
                platform.settimeout(30)  # less than the import takes
                connection, _ = platform.accept()
                with connection:
                    first_request = connection.recv(4096)
            finally:
                run.kill()
                run.wait()

        assert b"/GetBenchmark" in first_request


class TestBaseline:
    """A run without a model is played by the *baseline*, a program that the benchmark brings.

    It has rules by which it solves some families of tasks, such as calendar-date: "calendar-date.1"
    is a task of this family. Tasks of other families are played only with `--model baseline`.
    """

    def test_a_run_without_a_model_plays_the_tasks_that_the_baseline_can_solve(
        self, tmp_path: Path
    ) -> None:
        """It says that only these are played, and how to name a model for the others."""
        run = run_in_process("run", "--limit", "12", cwd=tmp_path)

        assert run.code == 0, run.err
        # The benchmark has 100 tasks, of which 34 belong to FAMILIES_WITH_RULES.
        assert "has rules for 34 of 100 tasks" in run.out
        assert "run --model NAME" in " ".join(run.out.split())
        assert "mean score" in run.out
        (path,) = (tmp_path / "runs").glob("*.jsonl")
        with open_journal(path) as journal:
            trials = [trial.summary for trial in journal.trials.values()]
        for trial in trials:
            family, _, _ = trial.task_id.rpartition(".")
            assert family in FAMILIES_WITH_RULES
            # If a rule fails, the text of the exception, such as "IndexError: list index out of
            # range", must not become the answer.
            assert "Error" not in trial.answer
            assert "out of range" not in trial.answer

    @pytest.mark.parametrize("name", ["stock-count", "sku-lookup.3", "stock-count.4"])
    def test_a_named_task_without_rules_is_refused_with_the_command_for_a_model(
        self, tmp_path: Path, name: str
    ) -> None:
        """The baseline would fail at these tasks, and the score would mean nothing."""
        refused = run_in_process("run", name, cwd=tmp_path)

        assert refused.code == UsageError.exit_code
        assert f"run {name} --model NAME" in refused.err
        assert not list(tmp_path.glob("runs/*.jsonl"))

    def test_the_baseline_plays_any_task_if_it_is_named_as_the_model(
        self, tmp_path: Path
    ) -> None:
        """It has no rules for stock-count, so its answer is wrong: it says that there is no basket,
        where a number of products is asked for."""
        run = run_in_process(
            "run", "stock-count.2", "--model", "baseline", "--json", cwd=tmp_path
        )

        assert run.code == 0, run.err
        answer = run.json["trials"][0]["answer"]
        assert "There is no open basket of yours." in answer
        assert "out of range" not in answer  # the text of an IndexError in a rule


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


class TestFunctionsOfScripts:
    """The model's scripts can call functions of the benchmark, beside those of the world.

    A world has files and programs. The shop adds functions that compute from them what models
    often get wrong: `stock_at` tells how many lamps a branch has in stock.
    """

    def test_scripts_are_offered_the_functions_of_the_benchmark(
        self, tmp_path: Path
    ) -> None:
        """They compute what models often get wrong, such as how many lamps a branch has in
        stock."""
        assert "stock_at" in functions_offered_to_scripts(tmp_path)
        assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0

    def test_without_the_part_helpers_scripts_are_offered_no_functions(
        self, tmp_path: Path
    ) -> None:
        """`--parts -helpers` switches a part of the solver off, to measure what it is worth."""
        assert functions_offered_to_scripts(tmp_path, "--parts", "-helpers") == []
        assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0
