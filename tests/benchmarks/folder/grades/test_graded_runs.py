"""Runs whose trials are graded by what is expected, or by a program of the task.

The model writes "12 pieces" into the file `/stock.txt`, and answers "Written: 12 pieces.". The
printed result of the run has the score of each trial, and its details.
"""

from pathlib import Path

import pytest

from tests.support.command import CommandResult, run_controlplane

# The task `stock`, and a model that solves it: it writes "12 pieces" into `/stock.txt`.
#
#     tasks/stock/task.toml     instruction = "Write the stock of A-7 into /stock.txt."
#     tasks/stock/files/a.txt   a file that the agent sees, here as /a.txt: "A-7: 12"
#
# A file `grade.py` beside the `task.toml` would grade the answers.

INSTRUCTION = 'instruction = "Write the stock of A-7 into /stock.txt."\n'
"""The line of a `task.toml` with the task. It needs a second one that says what is right."""


WRITTEN_ANSWER = """
[[reply]]
code = '''
harness.write("/stock.txt", "12 pieces")
scratchpad["answer"] = "Written: 12 pieces."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["changes"] = ["/stock.txt"]
harness.answer(scratchpad, lambda sp: "12" in sp["answer"])
'''
"""
"""A reply of the model: a script that writes the file, and gives the answer."""


def write_task(folder: Path, task: str) -> None:
    """Write the task `stock`, whose `task.toml` has this text, into the folder `tasks`."""
    (folder / "tasks/stock/files").mkdir(parents=True)
    (folder / "tasks/stock/files/a.txt").write_text("A-7: 12")
    (folder / "tasks/stock/task.toml").write_text(task)


def run_tasks(folder: Path, *, replies: str) -> CommandResult:
    """Run the task with a model that gives these replies. Return what the command has printed."""
    (folder / "replies.toml").write_text(replies)
    return run_controlplane(
        "run",
        "--benchmark=folder:tasks",
        "--model=scripted:replies.toml",
        "--json",
        cwd=folder,
    )


# A trial whose program `grade.py` fails is graded when its run is resumed with a better program.
#
# The model need not answer again: it has written "12 pieces" into the file `/stock.txt`, and has
# answered "Written: 12 pieces.".

corrected_programs_pytestmark = pytest.mark.usefixtures("shared_fork_servers")


def test_a_trial_whose_program_fails_is_graded_once_the_program_is_corrected(
    tmp_path: Path,
) -> None:
    """Until then the trial stays open. The model need not answer again."""
    write_task(tmp_path, INSTRUCTION)
    program = tmp_path / "tasks/stock/grade.py"
    program.write_text("def grade(answer):\n    return 1\n")  # too few arguments

    run = run_tasks(tmp_path, replies=WRITTEN_ANSWER)

    assert run.code == 3  # A trial has no grade.
    (trial,) = run.json["trials"]
    assert trial["score"] is None
    assert trial["state"] == "open"
    assert "grade() takes 1 positional argument" in trial["reason"]

    program.write_text(
        "def grade(answer, outcome, citations, changes):\n    return '12' in answer\n"
    )
    resumed = run_controlplane("resume", "last", "--json", cwd=tmp_path)

    assert resumed.code == 0, resumed.err
    assert resumed.json["score"] == 1.0


# A trial that a model could not grade is graded when its run is resumed.
#
# A second model grades the answer "Written: 12 pieces." by a rubric. Its verdict is a list of faults,
# each of which has to quote the answer: `{"quote": "12 pieces", "fault": "wrong"}`.

late_verdicts_pytestmark = pytest.mark.usefixtures("shared_fork_servers")


def test_a_trial_without_a_verdict_that_counts_is_graded_when_it_is_resumed(
    tmp_path: Path,
) -> None:
    """A fault has to quote the answer. Both verdicts quote what is not in it."""
    write_task(tmp_path, INSTRUCTION + 'rubric = "The answer names the article A-7."\n')
    verdicts = """
[[reply]]
role = "grade"
text = '{"faults": [{"quote": "13 pieces", "fault": "wrong"}], "score": 0}'
[[reply]]
role = "grade"
text = '{"faults": [{"quote": "14 pieces", "fault": "wrong"}], "score": 0}'
"""

    run = run_tasks(tmp_path, replies=WRITTEN_ANSWER + verdicts)

    (trial,) = run.json["trials"]
    assert trial["score"] is None
    assert run.json["roles"]["grade"]["replies"] == 2
    reason = "'14 pieces' stands neither in the answer nor in the rubric"
    assert reason in trial["reason"]

    # Now the first verdict of the model quotes the answer, and counts.
    (tmp_path / "replies.toml").write_text(
        WRITTEN_ANSWER + verdicts.replace("13 pieces", "12 pieces")
    )
    resumed = run_controlplane("resume", "last", "--json", cwd=tmp_path)

    assert resumed.code == 0, resumed.err
    assert resumed.json["score"] == 0.0
    assert resumed.json["trials"][0]["details"] == ["wrong: '12 pieces'"]


pytestmark = pytest.mark.usefixtures("shared_fork_servers")


def test_a_trial_that_does_not_end_as_expected_has_the_faults_as_details(
    tmp_path: Path,
) -> None:
    """The task expects that no file is changed."""
    write_task(
        tmp_path,
        INSTRUCTION
        + '[expected]\noutcome = "OUTCOME_OK"\nanswer = "Written: 12 pieces."\n',
    )

    run = run_tasks(tmp_path, replies=WRITTEN_ANSWER)

    assert run.code == 0, run.err
    (trial,) = run.json["trials"]
    assert trial["score"] == 0.0
    (fault,) = trial["details"]
    assert "expected no file changes" in fault


def test_a_trial_has_the_score_and_details_of_its_program(tmp_path: Path) -> None:
    write_task(tmp_path, INSTRUCTION)
    (tmp_path / "tasks/stock/grade.py").write_text("""
def grade(answer, outcome, citations, changes):
    return 0.5, [answer, outcome, str(citations), changes["/stock.txt"]]
""")

    run = run_tasks(tmp_path, replies=WRITTEN_ANSWER)

    assert run.code == 0, run.err
    (trial,) = run.json["trials"]
    assert trial["score"] == 0.5
    assert trial["details"] == ["Written: 12 pieces.", "OUTCOME_OK", "[]", "12 pieces"]
