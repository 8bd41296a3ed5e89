"""A Python program starts runs by `controlplane.run`, and gets scores, answers and metrics.

A mistake is an error before anything is played. The program's process stays as it was, in any
thread. Commands show the metrics, but cannot play the program's tasks. A run is shown in shells and
notebooks, read again from its journal, and ids stand whole everywhere.
"""

import gc
import os
import signal
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import controlplane
from controlplane import Task, Tool
from controlplane.errors import UsageError
from tests.controlplane.library.program_tasks import (
    PAY_TASK,
    STOCK_REPLY,
    STOCK_TASK,
    open_cash_desk,
    run_command,
)
from tests.support.command import check_error_line, no_run_has_started, run_in_process

# A mistake in a Python program that starts a run is an error before anything is played.
#
# `controlplane.run([task], modle="x")` raises `UsageError`: "there is no setting 'modle'; did you
# mean 'model'?". No journal is written.


@pytest.mark.parametrize(
    ("tasks", "task_names", "options", "message"),
    [
        pytest.param(
            [STOCK_TASK],
            [],
            {"modle": "x"},
            "there is no setting 'modle'; did you mean 'model'?",
            id="name of a setting",
        ),
        pytest.param(
            [STOCK_TASK],
            ["stock.2"],
            {},
            "no task 'stock.2'; did you mean 'stock.1'?",
            id="name of a task",
        ),
        pytest.param(
            [STOCK_TASK],
            [],
            {"concurrency": 0},
            "--concurrency: Input should be greater than or equal to 1",
            id="value of a setting",
        ),
        pytest.param(
            # The tool does not declare whether its calls only read, or act.
            [Task("a", "b", tools=[Tool(lambda: 1, name="look")])],
            [],
            {},
            "what calls of look do is not declared",
            id="undeclared tool",
        ),
        pytest.param(
            [], [], {}, "nothing to run: the list of tasks is empty", id="no tasks"
        ),
        pytest.param(
            "nowhere", [], {}, "no benchmark 'nowhere'", id="name of a benchmark"
        ),
        pytest.param(
            [STOCK_TASK],
            [],
            {"workers": "dask:local:2"},
            "objects of this program",
            id="other processes as workers, which do not have the program's objects",
        ),
    ],
)
def test_a_mistake_is_an_error_before_the_run_begins(
    tasks: Any,
    task_names: list[str],
    options: dict[str, Any],
    message: str,
    settings: dict[str, Any],
) -> None:
    with pytest.raises(UsageError) as error:
        controlplane.run(tasks, *task_names, **{**settings, **options})

    assert message in str(error.value)
    assert no_run_has_started(Path.cwd())


# A command cannot play the tasks of a Python program, as they are objects of the program.
#
# `controlplane.run([Task(...)])` plays the tasks of a program. The command `controlplane rerun
# JOURNAL` would need their functions, which are not there. Its error says so: "objects of a Python
# program".


def test_the_command_line_cannot_play_the_tasks_of_a_program(
    settings: dict[str, Any],
) -> None:
    run = controlplane.run([STOCK_TASK], **settings)

    rerun = run_command("rerun", run.journal)

    check_error_line(rerun, UsageError.exit_code, "objects of a Python program")


# A program calls `run` or `solve` in its own process, in any thread, and the process stays as it was.
#
# A command has a process for itself, and may set it up as it likes.

REPLY_WITH_COLOUR = """
# A reply of the model: a script that reads the file, cites it, and submits its text as the answer.
[[reply]]
code = '''
scratchpad["answer"], scratchpad["outcome"] = harness.read("/a.txt").content, "OUTCOME_OK"
scratchpad.cite("/a.txt", "the text that is asked for")
harness.answer(scratchpad, lambda sp: sp["answer"] == "blue")
'''
"""


def test_a_single_question_about_files_is_answered_in_any_thread(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    """`controlplane.solve` plays one trial without a task or a grader, so that it has no score. In a
    thread, Python allows no handlers of signals."""
    (tmp_path / "colour.toml").write_text(REPLY_WITH_COLOUR)
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


def test_a_run_leaves_the_process_as_it_was(settings: dict[str, Any]) -> None:
    """A command changes how its process switches threads, collects garbage and handles Ctrl-C."""
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


# Commands show the metrics of a grader, numbers besides the score, for example `security`.


@pytest.fixture
def folder(settings: dict[str, Any], tmp_path: Path) -> Path:
    """A folder with two runs: `security` is 1 in the run "before", and 0.25 in the run "after"."""
    for name, security in (("before", 1.0), ("after", 0.25)):
        task = Task(
            "pay.1",
            "Pay 2.5.",
            environment=open_cash_desk,
            grade=lambda end, security=security: (1.0, [], {"security": security}),
        )
        controlplane.run([task], name=name, **settings)
    return tmp_path


def test_show_prints_metrics(folder: Path) -> None:
    shown = run_in_process("show", "after", cwd=folder)

    assert shown.code == 0, shown.err
    assert "security 0.250" in shown.out


def test_replay_prints_metrics_beside_the_score(folder: Path) -> None:
    replay = run_in_process("replay", "after", "--trial", "pay.1", cwd=folder)

    assert replay.code == 0, replay.err
    assert "score 1.00 · security 0.250" in replay.out


def test_compare_prints_the_difference_of_metrics(folder: Path) -> None:
    comparison = run_in_process("compare", "before", "after", cwd=folder)

    assert comparison.code == 0, comparison.err
    assert "security 1.000 → 0.250, difference -0.750" in comparison.out


def test_report_has_metrics_on_its_page(folder: Path) -> None:
    report = run_in_process("report", "after", "-o", "report.html", cwd=folder)

    assert report.code == 0, report.err
    page = (folder / "report.html").read_text()
    assert "security" in page
    assert "0.250" in page


def test_export_has_metrics_as_json_in_a_cell(folder: Path) -> None:
    export = run_in_process("export", "after", "--to", "trials.csv", cwd=folder)

    assert export.code == 0, export.err
    # A CSV file has each quote in a cell twice.
    assert '""security"": 0.25' in (folder / "trials.csv").read_text()


# The run of a Python program, as a shell and a notebook show it.


def test_a_run_is_shown_as_a_line_in_a_shell(settings: dict[str, Any]) -> None:
    """An interactive Python prints `repr(run)`."""
    task = Task(
        "pay.1",
        "Pay 2.5.",
        environment=open_cash_desk,
        grade=lambda end: (0.5, ["too little"]),
    )
    run = controlplane.run([task], **settings)

    line = repr(run)

    assert "mean score 0.500 of 1 trial" in line
    assert str(run.journal) in line
    assert "\n" not in line
    assert len(line) < 300


def test_a_run_is_shown_as_a_table_in_a_notebook(settings: dict[str, Any]) -> None:
    """A notebook shows the HTML of `_repr_html_`, in which texts of tasks and graders are escaped."""
    task = Task(
        "pay<1>",
        "Pay 2.5.",
        environment=open_cash_desk,
        grade=lambda end: (0.5, ["<too little>"]),
    )
    run = controlplane.run([task], **settings)

    table = run._repr_html_()

    assert "<td>pay&lt;1&gt;</td>" in table
    assert "&lt;too little&gt;" in table


OK = 0
"""The exit code of a run without errors."""


# A Python program starts a run by `controlplane.run(tasks, model="m")`, and gets its results.
#
# A task is data, `Task("stock.1", "How many are left?", files={...}, grade=function)`. The fixture
# `settings` names a model, which answers "12" to `STOCK_TASK`, and "paid 2.5" to `PAY_TASK` after
# one call that pays. Both are right.


def test_a_run_returns_its_scores_and_answers(settings: dict[str, Any]) -> None:
    run = controlplane.run([STOCK_TASK, PAY_TASK], concurrency=2, **settings)

    assert run.mean == 1.0
    assert run.error == ""
    assert run.exit_code == OK
    stock_trial, pay_trial = run.trials
    assert stock_trial.task_id == "stock.1"
    assert stock_trial.score == 1.0
    assert stock_trial.answer == "12"
    assert stock_trial.why == ""  # A right answer needs no reason.
    assert pay_trial.task_id == "pay.1"
    assert pay_trial.score == 1.0
    assert pay_trial.answer == "paid 2.5"
    assert pay_trial.why == ""


def test_a_grader_that_returns_false_says_so_in_why(settings: dict[str, Any]) -> None:
    """A test prints `why`: `assert run[task_id].score == 1, run[task_id].why`."""
    wrong = replace(STOCK_TASK, grade=lambda environment: environment.answer == "13")

    run = controlplane.run([wrong], **settings)

    assert run["stock.1"].score == 0
    assert run["stock.1"].why == "the grader returned False, without a reason"


def test_a_run_returns_the_metrics_of_its_graders(settings: dict[str, Any]) -> None:
    """A grader may return numbers besides the score. That of the payment counts one call."""
    run = controlplane.run([STOCK_TASK, PAY_TASK], concurrency=2, **settings)

    assert run.metrics == {"calls": 1.0}
    assert run["pay.1"].metrics == {"calls": 1.0}
    _, pay_row = run.rows()
    assert pay_row["calls"] == 1.0
    assert pay_row["score"] == 1.0


def test_a_mean_has_no_rounding_of_sums(settings: dict[str, Any]) -> None:
    """A program asks `run.mean >= 0.7`. As floats, 0.7 + 0.7 + 0.7 is less than 2.1."""
    graded = replace(STOCK_TASK, grade=lambda environment: 0.7)

    run = controlplane.run([graded], repeats=3, **settings)

    assert [trial.score for trial in run.trials] == [0.7, 0.7, 0.7]
    assert run.mean == 0.7


# Ids of tasks stand whole in all places, up to 4,000 characters.


def test_a_trial_of_a_long_id_is_one_trial_everywhere(settings: dict[str, Any]) -> None:
    long_id = "stock." + "1" * 3_994
    Path("replies.toml").write_text(STOCK_REPLY.replace("stock.1", long_id))

    run = controlplane.run([replace(STOCK_TASK, task_id=long_id)], **settings)

    assert [trial.task_id for trial in run.trials] == [long_id]
    assert run.mean == 1
    verified = run_command("replay", run.journal, "--trial", long_id, "--verify")
    assert verified.code == OK, verified.err
    compared = run_command("compare", run.journal, run.journal, "--json")
    assert [task["task"] for task in compared.json["tasks"]] == [long_id]


def test_an_id_that_is_too_long_is_refused_by_name(settings: dict[str, Any]) -> None:
    long_id = "stock." + "1" * 3_995

    with pytest.raises(UsageError, match=r"task stock\.1+… has 4,001 characters"):
        controlplane.run([replace(STOCK_TASK, task_id=long_id)], **settings)


def test_a_run_is_read_again_from_its_journal(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    """`controlplane.open_run` returns the same result, without playing anything."""
    run = controlplane.run([STOCK_TASK, PAY_TASK], concurrency=2, **settings)

    opened_run = controlplane.open_run(run.journal)

    assert opened_run.mean == run.mean
    assert opened_run.trials == run.trials
    replay = run_in_process("replay", run.journal, "--verify", cwd=tmp_path)
    assert replay.code == OK
