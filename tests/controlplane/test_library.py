"""Runs from Python: tasks as data, one trial, settings by name,
results as objects, and nothing kept of the process."""

import gc
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import controlplane
from controlplane import Task, TaskEnvironment, Tool
from controlplane.errors import Unreachable, UsageError
from tests.support.command import check_error_line, run_python
from tests.support.command import run_controlplane as command_line

SCRIPT = """
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
STOCK = Task(
    "stock.1",
    "How many of A-7 are left?",
    files={"/stock.csv": "sku,left\nA-7,12\n"},
    grade=lambda end: end.answer == "12",
)


def environment_to_pay_in() -> TaskEnvironment:
    """An environment with the function `pay`, whose state is the list of paid amounts."""
    paid: list[float] = []

    def pay(amount: float) -> int:
        """Pay an amount."""
        paid.append(amount)
        return len(paid)

    return TaskEnvironment([Tool(pay, "acts")], state=paid, policy="Pay once.")


def grade_payment(end: TaskEnvironment) -> tuple[bool, list[str], dict[str, float]]:
    """Return the score, the reasons for it, and a metric."""
    is_right = end.state == [2.5]
    reasons = [] if is_right else ["paid otherwise"]
    return is_right, reasons, {"calls": len(end.calls)}


PAY = Task("pay.1", "Pay 2.5.", environment=environment_to_pay_in, grade=grade_payment)


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Settings of a run in an empty folder, by a model that solves the tasks above."""
    (tmp_path / "replies.toml").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)
    return {"model": "scripted:replies.toml", "runs_dir": str(tmp_path / "runs")}


def test_tasks_are_played_and_graded_and_their_run_is_read_again(
    settings: dict[str, Any],
) -> None:
    run = controlplane.run([STOCK, PAY], concurrency=2, **settings)

    assert run.mean == 1.0
    assert run.metrics == {"calls": 1.0}
    assert run.error == ""
    assert run.exit_code == 0

    stock_trial, pay_trial = run.trials
    assert stock_trial.task_id == "stock.1"
    assert stock_trial.score == 1.0
    assert stock_trial.answer == "12"
    assert stock_trial.why == ""
    assert pay_trial.task_id == "pay.1"
    assert pay_trial.score == 1.0
    assert pay_trial.answer == "paid 2.5"
    assert pay_trial.why == ""
    assert run["pay.1"].metrics == {"calls": 1.0}
    _, pay_row = run.rows()
    assert pay_row["calls"] == 1.0
    assert pay_row["score"] == 1.0

    opened_run = controlplane.open_run(run.journal)
    assert opened_run.mean == run.mean
    assert opened_run.trials == run.trials
    assert command_line("replay", run.journal, "--verify", cwd=Path.cwd()).code == 0


def test_a_run_is_a_line_in_a_shell_and_a_table_in_a_notebook(
    settings: dict[str, Any],
) -> None:
    task = Task(
        "pay<1>",
        "Pay 2.5.",
        environment=environment_to_pay_in,
        grade=lambda end: (0.5, ["<too little>"]),
    )
    run = controlplane.run([task], **settings)
    line = repr(run)

    assert "mean score 0.500 of 1 trial" in line
    assert str(run.journal) in line
    assert len(line) < 300
    table = run._repr_html_()
    assert "<td>pay&lt;1&gt;</td>" in table
    assert "&lt;too little&gt;" in table


def test_metrics_are_shown_beside_the_score_everywhere(
    settings: dict[str, Any],
) -> None:
    def task(security: float) -> Task:
        return Task(
            "pay.1",
            "Pay 2.5.",
            environment=environment_to_pay_in,
            grade=lambda end: (1.0, [], {"security": security}),
        )

    controlplane.run([task(1.0)], name="before", **settings)
    controlplane.run([task(0.25)], name="after", **settings)

    def command(*words: str) -> str:
        done = command_line(*words, cwd=Path.cwd())
        assert done.code == 0, done.err
        return done.out

    assert "security 0.250" in command("show", "after")
    assert "score 1.00 · security 0.250" in command(
        "replay", "after", "--trial", "pay.1"
    )
    assert "security 1.000 → 0.250, difference -0.750" in command(
        "compare", "before", "after"
    )
    command("report", "after", "-o", "report.html")
    page = Path("report.html").read_text()
    assert "security" in page
    assert "0.250" in page
    command("export", "after", "--to", "trials.csv")
    assert '""security"": 0.25' in Path("trials.csv").read_text()


def test_one_trial_is_played_over_files_and_in_a_thread(
    settings: dict[str, Any],
) -> None:
    trials = []

    def solve() -> None:
        files = {"/a.txt": "blue"}
        trials.append(controlplane.solve(files, "Which colour?", **settings))

    thread = threading.Thread(target=solve)
    thread.start()
    thread.join()

    (trial,) = trials
    assert trial.answer == "blue"
    assert trial.refs == ("/a.txt",)
    assert trial.score is None


def test_a_run_sets_nothing_of_the_process(settings: dict[str, Any]) -> None:
    def process_state() -> list[object]:
        return [
            sys.getswitchinterval(),
            gc.get_threshold(),
            signal.getsignal(signal.SIGINT),
            Path.cwd(),
        ]

    state_before = process_state()
    variables_before = dict(os.environ)
    frozen_before = gc.get_freeze_count()

    controlplane.run([STOCK], **settings)

    assert process_state() == state_before
    assert dict(os.environ) == variables_before
    assert gc.get_freeze_count() <= frozen_before, (
        "objects that another test froze may end meanwhile; none is added"
    )


@pytest.mark.parametrize(
    ("tasks", "names", "options", "message"),
    [
        (
            [STOCK],
            (),
            {"modle": "x"},
            "there is no setting 'modle'; did you mean 'model'?",
        ),
        ([STOCK], ("stock.2",), {}, "no task 'stock.2'; did you mean 'stock.1'?"),
        (
            [STOCK],
            (),
            {"concurrency": 0},
            "--concurrency: Input should be greater than or equal to 1",
        ),
        (
            [Task("a", "b", tools=[Tool(lambda: 1, name="look")])],
            (),
            {},
            "what calls of look do is not declared",
        ),
        ("nowhere", (), {}, "no benchmark 'nowhere'"),
        ([STOCK], (), {"workers": "dask:local:2"}, "objects of this program"),
    ],
)
def test_a_mistake_is_told_before_anything_begins(
    tasks: Any,
    names: tuple[str, ...],
    options: dict[str, Any],
    message: str,
    settings: dict[str, Any],
) -> None:
    with pytest.raises(UsageError) as raised:
        controlplane.run(tasks, *names, **(settings | options))

    assert message in str(raised.value)
    assert not list(Path(settings["runs_dir"]).glob("*.jsonl"))


def test_the_command_line_says_where_such_a_run_is_continued(
    settings: dict[str, Any],
) -> None:
    run = controlplane.run([STOCK], **settings)
    rerun = command_line("rerun", run.journal, cwd=Path.cwd())

    check_error_line(rerun, UsageError.exit_code, "objects of a Python program")


NO_ENDPOINT = "http://127.0.0.1:9/v1"
"""A port of this machine on which nobody listens."""


def call_that_continues(text: str) -> str:
    """Return the Python call that a message names behind `continue with: `."""
    return text.rpartition("continue with: ")[2]


def test_a_paused_run_of_a_program_names_the_python_call_that_continues_it(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    paused = controlplane.run(
        [STOCK],
        model="none",
        base_url=NO_ENDPOINT,
        model_patience=0,
        runs_dir=settings["runs_dir"],
    )

    assert paused.exit_code == Unreachable.exit_code
    call = call_that_continues(paused.error)

    names = {"controlplane": controlplane, "TASKS": [STOCK]}
    with_a_model = f"{call[:-1]}, model={settings['model']!r})"
    resumed = eval(with_a_model, names)

    assert resumed.mean == 1.0


def test_commands_about_a_paused_run_of_a_program_name_the_same_call(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    paused = controlplane.run(
        [STOCK],
        model="none",
        base_url=NO_ENDPOINT,
        model_patience=0,
        runs_dir=settings["runs_dir"],
    )
    call = call_that_continues(paused.error)
    for command in ("show", "poll", "submit"):
        result = command_line(command, paused.journal, cwd=Path.cwd())
        output = result.out + result.err
        assert call in output, command
        assert "controlplane resume" not in output, command


PROGRAM = """
import os, signal, sys, time, controlplane
from controlplane import Task, TaskEnvironment, Tool

mode = sys.argv[1]  # "interrupted", "killed" or "resume"
paid = []

def slow(n: int) -> list:
    "Pay."
    paid.append(n)
    if n == 2 and mode != "resume":
        os.kill(os.getpid(), signal.SIGKILL if mode == "killed" else signal.SIGINT)
        time.sleep(1)
    return paid

def grade(end):
    return ([call.arguments["n"] for call in end.calls] == [1, 2, 3], [str(end.calls)])

def environment():
    paid.clear()
    return TaskEnvironment([Tool(slow, "acts")])

tasks = [Task("task.1", "Pay thrice.", environment=environment, grade=grade)]
if mode == "resume":
    run = controlplane.run(tasks, resume=sys.argv[2])
    print(run.mean, run.trials[0].why)
else:
    try:
        controlplane.run(tasks, model="scripted:three.toml", runs_dir="runs")
    except KeyboardInterrupt as error:
        print(error)
"""
"""Stops itself, as a user does, while its task's second payment is made; or goes on."""
REPLIES = """
[[reply]]
code = 'print(harness.slow(n=1))'

[[reply]]
code = 'print(harness.slow(n=2))'

[[reply]]
code = 'print(harness.slow(n=3))'

[[reply]]
code = '''
scratchpad["answer"], scratchpad["outcome"] = "paid", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "paid")
'''
"""


@pytest.fixture
def program_folder(tmp_path: Path) -> Path:
    """A folder with program.py, and the replies of the model that it asks."""
    (tmp_path / "three.toml").write_text(REPLIES)
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def test_an_interrupted_run_is_recorded_and_continued_with_all_its_calls(
    program_folder: Path,
) -> None:
    interrupted = run_python("program.py", "interrupted", cwd=program_folder)
    (journal,) = (program_folder / "runs").glob("*.jsonl")
    resumed = run_python("program.py", "resume", journal, cwd=program_folder)

    assert interrupted.code == 0, interrupted.err
    assert "nothing that was recorded is lost" in interrupted.out
    assert resumed.code == 0, resumed.err
    assert resumed.out.startswith("1.0")


def test_a_call_that_a_kill_cut_off_is_made_in_the_world_that_is_made_anew(
    program_folder: Path,
) -> None:
    killed = run_python("program.py", "killed", cwd=program_folder)
    (journal,) = (program_folder / "runs").glob("*.jsonl")
    resumed = run_python("program.py", "resume", journal, cwd=program_folder)

    assert killed.code == -signal.SIGKILL
    assert resumed.out.startswith("1.0"), resumed.out + resumed.err
    assert command_line("replay", journal, "--verify", cwd=program_folder).code == 0
