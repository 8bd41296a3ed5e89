"""Runs that a Python program starts: `controlplane.run(tasks, model="m")` instead of a command.

A task is data, `Task("stock.1", "How many are left?", files={...}, grade=function)`, and the
result is an object with scores and answers. The tests show results, messages about mistakes,
and that a run which was stopped is continued by a call in the same program.
"""

import gc
import os
import signal
import sys
import threading
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import controlplane
from controlplane import Task, TaskEnvironment, Tool
from controlplane.errors import Unreachable, UsageError
from tests.support.command import (
    CommandResult,
    check_error_line,
    no_run_has_started,
    run_controlplane,
    run_python,
)

OK = 0
"""The exit code of a program or a run without errors."""

# --- Two tasks, and a model that solves them ---

REPLIES = """
[[reply]]
task = "stock.1"
code = '''
print(harness.read("/stock.csv").content)
scratchpad["answer"], scratchpad["outcome"] = "12", "OUTCOME_OK"
scratchpad.cite("/stock.csv", "the row of A-7 says 12")
harness.answer(scratchpad, lambda sp: sp["answer"] == "12")
'''

[[reply]]
task = "pay.1"
code = '''
print(harness.pay(amount=2.5))
scratchpad["answer"], scratchpad["outcome"] = "paid 2.5", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2.5" in sp["answer"])
'''

[[reply]]
task = "task"
code = '''
scratchpad["answer"], scratchpad["outcome"] = harness.read("/a.txt").content, "OUTCOME_OK"
scratchpad.cite("/a.txt", "the text that is asked for")
harness.answer(scratchpad, lambda sp: sp["answer"] == "blue")
'''
"""
"""The model: for each task, the script that it replies. A script calls `harness`, which reads files,
calls tools, and submits the answer. `task` is the name of a task that has none of its own, as with
`controlplane.solve`."""

STOCK_TASK = Task(
    "stock.1",
    "How many of A-7 are left?",
    files={"/stock.csv": "sku,left\nA-7,12\n"},
    grade=lambda end: end.answer == "12",
)
"""A task about a file. Its grader compares the answer."""


def open_cash_desk() -> TaskEnvironment:
    """Return an environment with the tool `pay`, whose state is the list of paid amounts.

    The tool "acts": its calls change something.
    """
    paid_amounts: list[float] = []

    def pay(amount: float) -> int:
        """Pay an amount."""
        paid_amounts.append(amount)
        return len(paid_amounts)

    return TaskEnvironment([Tool(pay, "acts")], state=paid_amounts, policy="Pay once.")


def grade_payment(end: TaskEnvironment) -> tuple[bool, list[str], dict[str, float]]:
    """Return whether the answer is right, the reasons if not, and a metric."""
    is_right = end.state == [2.5]
    reasons = [] if is_right else ["paid otherwise"]
    return is_right, reasons, {"calls": len(end.calls)}


PAY_TASK = Task("pay.1", "Pay 2.5.", environment=open_cash_desk, grade=grade_payment)
"""A task that has to be done with a function of the program."""


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Change to a new folder with the replies, and return the settings of runs with this model:
    `controlplane.run([STOCK_TASK], **settings)`."""
    (tmp_path / "replies.toml").write_text(REPLIES)
    monkeypatch.chdir(tmp_path)
    return {"model": "scripted:replies.toml", "runs_dir": str(tmp_path / "runs")}


def run_command(*words: str | Path) -> CommandResult:
    """Run a command in the folder of the run: `run_command("show", "last")`."""
    return run_controlplane(*words, cwd=Path.cwd())


# --- Results ---


def test_a_run_returns_its_scores_and_answers(settings: dict[str, Any]) -> None:
    """Two tasks: one about a file, and one that has to pay an amount."""
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


def test_a_run_returns_the_metrics_of_its_graders(settings: dict[str, Any]) -> None:
    """The grader of the payment counts calls; the other one has no metric."""
    run = controlplane.run([STOCK_TASK, PAY_TASK], concurrency=2, **settings)

    assert run.metrics == {"calls": 1.0}
    assert run["pay.1"].metrics == {"calls": 1.0}
    _, pay_row = run.rows()
    assert pay_row["calls"] == 1.0
    assert pay_row["score"] == 1.0


def test_a_run_is_read_again_from_its_journal(settings: dict[str, Any]) -> None:
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


def test_a_run_is_shown_as_a_line_in_a_shell(
    half_right_task: Task, settings: dict[str, Any]
) -> None:
    """An interactive Python prints `repr(run)`."""
    run = controlplane.run([half_right_task], **settings)

    line = repr(run)
    assert "mean score 0.500 of 1 trial" in line
    assert str(run.journal) in line
    assert "\n" not in line
    assert len(line) < 300


def test_a_run_is_shown_as_a_table_in_a_notebook(
    half_right_task: Task, settings: dict[str, Any]
) -> None:
    """A notebook shows the HTML of `_repr_html_`. Texts of tasks and graders are escaped in it."""
    run = controlplane.run([half_right_task], **settings)

    table = run._repr_html_()

    assert "<td>pay&lt;1&gt;</td>" in table
    assert "&lt;too little&gt;" in table


def task_with_metric(security: float) -> Task:
    """Return a task that is right in any case, with this value of the metric `security`."""
    return Task(
        "pay.1",
        "Pay 2.5.",
        environment=open_cash_desk,
        grade=lambda end: (1.0, [], {"security": security}),
    )


def test_every_command_shows_metrics_beside_the_score(settings: dict[str, Any]) -> None:
    """A grader may return metrics besides the score. The metric `security` is 1 in the first run,
    and 0.25 in the second."""
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


def test_a_single_question_about_files_is_answered_in_any_thread(
    settings: dict[str, Any],
) -> None:
    """`controlplane.solve` plays one trial without a task or a grader, so that it has no score."""
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
    """A command changes how its process switches threads, collects garbage and handles Ctrl-C. A
    run in a program of the user must leave all of this, the folder and the variables alone."""
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


# --- Mistakes ---

TASK_WITH_UNDECLARED_TOOL = Task("a", "b", tools=[Tool(lambda: 1, name="look")])
"""A task whose tool does not declare whether its calls only read, or act."""


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
            [TASK_WITH_UNDECLARED_TOOL],
            [],
            {},
            "what calls of look do is not declared",
            id="undeclared tool",
        ),
        pytest.param(
            "nowhere",
            [],
            {},
            "no benchmark 'nowhere'",
            id="name of a benchmark",
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
    """It is a `UsageError` with the nearest right name. No journal is written."""
    with pytest.raises(UsageError) as error:
        controlplane.run(tasks, *task_names, **{**settings, **options})

    assert message in str(error.value)
    assert no_run_has_started(Path.cwd())


def test_the_command_line_cannot_play_the_tasks_of_a_program(
    settings: dict[str, Any],
) -> None:
    """They are functions of the program, which is not there. The error says so."""
    run = controlplane.run([STOCK_TASK], **settings)

    rerun = run_command("rerun", run.journal)

    check_error_line(rerun, UsageError.exit_code, "objects of a Python program")


# --- Runs that pause, and are continued by a call ---


@pytest.fixture
def paused_run(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> controlplane.RunReport:
    """A run that paused because nobody listens at the address of its model."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    return controlplane.run(
        [STOCK_TASK],
        model="none",
        base_url="http://127.0.0.1:9/v1",
        model_patience=0,
        runs_dir=settings["runs_dir"],
    )


def call_that_continues(message: str) -> str:
    """Return the call at the end of a message: `controlplane.run(TASKS, resume='runs/...')`.

    The message is an error such as "...; continue with: controlplane.run(...)".
    """
    _, _, call = message.rpartition("continue with: ")
    return call


def test_a_paused_run_of_a_program_names_the_call_that_continues_it(
    paused_run: controlplane.RunReport, settings: dict[str, Any]
) -> None:
    """The named call is a text, which the test evaluates as Python. In it, `controlplane.run` is a
    function that adds a model which works."""
    assert paused_run.exit_code == Unreachable.exit_code
    call = call_that_continues(paused_run.error)

    run_with_model = partial(controlplane.run, model=settings["model"])
    names_in_call = {
        "controlplane": SimpleNamespace(run=run_with_model),
        "TASKS": [STOCK_TASK],
    }
    resumed_run = eval(call, names_in_call)

    assert resumed_run.mean == 1.0


# `show` prints results, `poll` asks whether a run is over, `submit` sends off an unfinished run.
@pytest.mark.parametrize("command", ["show", "poll", "submit"])
def test_commands_about_a_paused_run_of_a_program_name_the_same_call(
    command: str, paused_run: controlplane.RunReport
) -> None:
    """`controlplane resume` would not help: the tasks are objects of the program."""
    result = run_command(command, paused_run.journal)

    output = result.out + result.err
    assert call_that_continues(paused_run.error) in output
    assert "controlplane resume" not in output


# --- Programs that are stopped in the middle of a call ---

PAYING_PROGRAM = """
import os, signal, sys, time, controlplane
from controlplane import Task, TaskEnvironment, Tool

mode = sys.argv[1]  # "interrupted", "killed" or "resume"

# The environment of the task: a function that pays, and what it has paid.
paid = []

def pay(n: int) -> list:
    "Make the payment with this number."
    paid.append(n)
    if n == 2 and mode == "interrupted":
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)  # The interrupt comes while the payment goes on.
    if n == 2 and mode == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    return paid

def open_environment():
    paid.clear()
    return TaskEnvironment([Tool(pay, "acts")])

def grade(end):
    "Return whether the calls were right, and for a wrong score the calls as its reason."
    is_right = [call.arguments["n"] for call in end.calls] == [1, 2, 3]
    return is_right, [str(end.calls)]

tasks = [Task("task.1", "Pay thrice.", environment=open_environment, grade=grade)]
if mode == "resume":
    run = controlplane.run(tasks, resume=sys.argv[2])
    print(run.mean, run.trials[0].why)
else:
    try:
        controlplane.run(tasks, model="scripted:three.toml", runs_dir="runs")
    except KeyboardInterrupt as error:
        print(error)
"""
"""A program with one task: to make the payments 1, 2 and 3, each once and in this order.

`program.py interrupted` or `killed` stops itself while the second payment is made.
`program.py resume JOURNAL` continues that run, and prints its score (`1.0` for right calls) and the
reason of a wrong one.
"""

PAYING_REPLIES = """
[[reply]]
code = 'print(harness.pay(n=1))'

[[reply]]
code = 'print(harness.pay(n=2))'

[[reply]]
code = 'print(harness.pay(n=3))'

[[reply]]
code = '''
scratchpad["answer"], scratchpad["outcome"] = "paid", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "paid")
'''
"""
"""The model of the program: three payments, one in each step, and the answer."""


@pytest.fixture
def program_folder(tmp_path: Path) -> Path:
    """A folder with the paying program, and the replies of its model."""
    (tmp_path / "three.toml").write_text(PAYING_REPLIES)
    (tmp_path / "program.py").write_text(PAYING_PROGRAM)
    return tmp_path


def resume_program(folder: Path) -> CommandResult:
    """Call the program a second time, to continue its run, and return what it printed."""
    (journal,) = (folder / "runs").glob("*.jsonl")
    return run_python("program.py", "resume", journal, cwd=folder)


def test_an_interrupted_program_continues_with_every_call_made_once(
    program_folder: Path,
) -> None:
    """Ctrl-C comes in the middle of the second payment."""
    interrupted = run_python("program.py", "interrupted", cwd=program_folder)
    resumed = resume_program(program_folder)

    assert interrupted.code == OK, interrupted.err
    assert "nothing that was recorded is lost" in interrupted.out
    assert resumed.code == OK, resumed.err
    assert resumed.out.startswith("1.0")


def test_a_killed_program_continues_with_every_call_made_once(
    program_folder: Path,
) -> None:
    """The environment was in the memory of the killed process. A new one is made, and the recorded
    calls are made in it again; the one that was cut off follows."""
    killed = run_python("program.py", "killed", cwd=program_folder)
    resumed = resume_program(program_folder)

    assert killed.code == -signal.SIGKILL
    assert resumed.out.startswith("1.0"), resumed.out + resumed.err
    replay = run_controlplane("replay", "last", "--verify", cwd=program_folder)
    assert replay.code == OK
