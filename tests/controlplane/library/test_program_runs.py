"""Runs that a Python program starts: `controlplane.run(tasks, model="m")` instead of a command.

A task is data, `Task("stock.1", "How many are left?", files={...}, grade=function)`. The result is an
object with scores and answers, which a shell or a notebook can show, and which commands can read.
"""

import gc
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import controlplane
from controlplane import Task
from tests.controlplane.library.program_tasks import (
    PAY_TASK,
    STOCK_TASK,
    open_cash_desk,
    run_command,
)

OK = 0
"""The exit code of a run without errors."""


class TestResults:
    """A run of two tasks returns scores, answers and metrics as an object.

        STOCK_TASK = Task("stock.1", "How many of A-7 are left?", files=..., grade=...)
        PAY_TASK = Task("pay.1", "Pay 2.5.", environment=open_cash_desk, grade=grade_payment)

    `settings` name a model, which answers "12" and, after one call that pays, "paid 2.5". Both are
    right. A grader may return numbers besides the score, its metrics: `grade_payment` returns how
    many calls were made.
    """

    def test_a_run_returns_its_scores_and_answers(
        self, settings: dict[str, Any]
    ) -> None:
        """`why` has the reasons of a score, of which a right answer needs none."""
        run = controlplane.run([STOCK_TASK, PAY_TASK], concurrency=2, **settings)

        assert run.mean == 1.0
        assert run.error == ""
        assert run.exit_code == OK
        stock_trial, pay_trial = run.trials
        assert stock_trial.task_id == "stock.1"
        assert stock_trial.score == 1.0
        assert stock_trial.answer == "12"
        assert stock_trial.why == ""
        assert pay_trial.task_id == "pay.1"
        assert pay_trial.score == 1.0
        assert pay_trial.answer == "paid 2.5"
        assert pay_trial.why == ""

    def test_a_run_returns_the_metrics_of_its_graders(
        self, settings: dict[str, Any]
    ) -> None:
        """The grader of the payment counts one call; the other grader returns no metric."""
        run = controlplane.run([STOCK_TASK, PAY_TASK], concurrency=2, **settings)

        assert run.metrics == {"calls": 1.0}
        assert run["pay.1"].metrics == {"calls": 1.0}
        _, pay_row = run.rows()
        assert pay_row["calls"] == 1.0
        assert pay_row["score"] == 1.0

    def test_a_run_is_read_again_from_its_journal(
        self, settings: dict[str, Any]
    ) -> None:
        """`controlplane.open_run` returns the same result, without playing anything."""
        run = controlplane.run([STOCK_TASK, PAY_TASK], concurrency=2, **settings)

        opened_run = controlplane.open_run(run.journal)

        assert opened_run.mean == run.mean
        assert opened_run.trials == run.trials
        assert run_command("replay", run.journal, "--verify").code == OK


@pytest.fixture
def half_right_task() -> Task:
    """A task whose id and reason have characters that mean something in HTML."""
    return Task(
        "pay<1>",
        "Pay 2.5.",
        environment=open_cash_desk,
        grade=lambda end: (0.5, ["<too little>"]),
    )


def task_with_metric(security: float) -> Task:
    """Return a task that is right in any case, with this value of the metric `security`."""
    return Task(
        "pay.1",
        "Pay 2.5.",
        environment=open_cash_desk,
        grade=lambda end: (1.0, [], {"security": security}),
    )


class TestShownRuns:
    """A shell, a notebook and the commands show a run of a program.

    The run is an object with scores and answers; its journal is in the folder `runs`.
    `settings` name a model that replies from a file, and the folder for journals.
    """

    def test_a_run_is_shown_as_a_line_in_a_shell(
        self, half_right_task: Task, settings: dict[str, Any]
    ) -> None:
        """An interactive Python prints `repr(run)`."""
        run = controlplane.run([half_right_task], **settings)

        line = repr(run)
        assert "mean score 0.500 of 1 trial" in line
        assert str(run.journal) in line
        assert "\n" not in line
        assert len(line) < 300

    def test_a_run_is_shown_as_a_table_in_a_notebook(
        self, half_right_task: Task, settings: dict[str, Any]
    ) -> None:
        """A notebook shows the HTML of `_repr_html_`. Texts of tasks and graders are escaped in
        it."""
        run = controlplane.run([half_right_task], **settings)

        table = run._repr_html_()

        assert "<td>pay&lt;1&gt;</td>" in table
        assert "&lt;too little&gt;" in table

    def test_every_command_shows_metrics_beside_the_score(
        self, settings: dict[str, Any]
    ) -> None:
        """A grader may return metrics besides the score. The metric `security` is 1 in the first
        run, and 0.25 in the second."""
        controlplane.run([task_with_metric(security=1.0)], name="before", **settings)
        controlplane.run([task_with_metric(security=0.25)], name="after", **settings)

        shown = run_command("show", "after")
        replay = run_command("replay", "after", "--trial", "pay.1")
        comparison = run_command("compare", "before", "after")
        report = run_command("report", "after", "-o", "report.html")
        export = run_command("export", "after", "--to", "trials.csv")

        for result in (shown, replay, comparison, report, export):
            assert result.code == OK, result.err
        assert "security 0.250" in shown.out
        assert "score 1.00 · security 0.250" in replay.out
        assert "security 1.000 → 0.250, difference -0.750" in comparison.out
        page = Path("report.html").read_text()
        assert "security" in page
        assert "0.250" in page
        # A cell of the table has all metrics as JSON. A CSV file has each quote in a cell twice.
        assert '""security"": 0.25' in Path("trials.csv").read_text()


REPLY_WITH_COLOUR = """
# A reply of the model: a script that reads the file, cites it, and submits its text as the answer.
[[reply]]
code = '''
scratchpad["answer"], scratchpad["outcome"] = harness.read("/a.txt").content, "OUTCOME_OK"
scratchpad.cite("/a.txt", "the text that is asked for")
harness.answer(scratchpad, lambda sp: sp["answer"] == "blue")
'''
"""


class TestProcess:
    """A program calls `run` or `solve` in its own process, in any thread.

    A command has a process for itself, and may set it up as it likes. In the process of a user's
    program, `run` must not. `settings` name a model that replies from a file, and the folder for
    journals.
    """

    def test_a_single_question_about_files_is_answered_in_any_thread(
        self, settings: dict[str, Any]
    ) -> None:
        """`controlplane.solve` plays one trial without a task or a grader, so that it has no score.

        A program may call it in a thread, where Python allows no handlers of signals.
        """
        Path("colour.toml").write_text(REPLY_WITH_COLOUR)
        settings["model"] = "scripted:colour.toml"
        trials = []

        def solve() -> None:
            trial = controlplane.solve({"/a.txt": "blue"}, "Which colour?", **settings)
            trials.append(trial)

        thread = threading.Thread(target=solve)
        thread.start()
        thread.join()

        (trial,) = trials
        assert trial.answer == "blue"
        assert trial.refs == ("/a.txt",)
        assert trial.score is None

    def test_a_run_leaves_the_process_as_it_was(self, settings: dict[str, Any]) -> None:
        """A command changes how its process switches threads, collects garbage and handles Ctrl-C.
        A run in a program of the user must leave all of this, the folder and the variables
        alone."""
        switch_interval_s = sys.getswitchinterval()
        collection_thresholds = gc.get_threshold()
        interrupt_handler = signal.getsignal(signal.SIGINT)
        working_folder = Path.cwd()
        variables = dict(os.environ)
        frozen_objects = gc.get_freeze_count()

        controlplane.run([STOCK_TASK], **settings)

        assert sys.getswitchinterval() == switch_interval_s
        assert gc.get_threshold() == collection_thresholds
        assert signal.getsignal(signal.SIGINT) == interrupt_handler
        assert Path.cwd() == working_folder
        assert dict(os.environ) == variables
        # `gc.freeze` exempts objects from garbage collection. The run freezes none; objects that an
        # earlier test froze may end meanwhile.
        assert gc.get_freeze_count() <= frozen_objects
