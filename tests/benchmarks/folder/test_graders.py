"""Graders of a task's own: grade.py runs in the sandbox, a rubric's model has to quote; Harbor's tasks are refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import controlplane

TASK = 'instruction = "Write the stock of A-7 into /stock.txt."\n'
REPLY = """
[[reply]]
code = '''
harness.write("/stock.txt", "12 pieces")
scratchpad["answer"], scratchpad["outcome"] = "Written: 12 pieces.", "OUTCOME_OK"
scratchpad["changes"] = ["/stock.txt"]
harness.answer(scratchpad, lambda sp: "12" in sp["answer"])
'''
"""


def played(folder: Path, *words: str, graded: tuple[str, ...] = ()) -> Any:
    """Return the result of the task in the folder; `graded` are the replies of its rubric's model."""
    replies = [REPLY, *(f"[[reply]]\nrole = 'grade'\ntext = '''{text}'''\n" for text in graded)]
    (folder / "replies.toml").write_text("".join(replies))
    return controlplane("run", "--benchmark", "folder:tasks", "--model", "scripted:replies.toml", "--json", cwd=folder)


def task(folder: Path, text: str = TASK, grader: str = "") -> None:
    (folder / "tasks/stock/files").mkdir(parents=True)
    (folder / "tasks/stock/files/a.txt").write_text("A-7: 12")
    (folder / "tasks/stock/task.toml").write_text(text)
    if grader:
        (folder / "tasks/stock/grade.py").write_text(grader)


@pytest.mark.parametrize(
    ("body", "score", "details"),
    [
        ("return '12' in answer and outcome == 'OUTCOME_OK'", 1.0, []),
        ("return 0.5, [changes['/stock.txt'], str(citations)]", 0.5, ["12 pieces", "[]"]),
        ("return answer == '13'", 0.0, []),
    ],
)
def test_a_grader_gets_answer_outcome_citations_and_changes(
    body: str, score: float, details: list[str], tmp_path: Path
) -> None:
    task(tmp_path, grader=f"def grade(answer, outcome, citations, changes):\n    {body}\n")
    done = played(tmp_path)
    (trial,) = done.json["trials"]
    assert (trial["score"], trial["details"]) == (score, details), done.err


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("def grade(answer, outcome, citations, changes):\n    return open('/etc/passwd').read()\n", "grade.py: "),
        ("def grade(answer, outcome, citations, changes):\n    return 'good'\n", "a score from 0 to 1"),
        ("def grade(:\n", "grade.py: "),
    ],
)
def test_a_grader_that_fails_leaves_its_trial_open(code: str, says: str, tmp_path: Path) -> None:
    task(tmp_path, grader=code)
    done = played(tmp_path)
    (trial,) = done.json["trials"]
    assert (done.code, trial["score"], trial["state"]) == (3, None, "open")
    assert says in trial["reason"]


def test_a_corrected_grader_grades_by_resume(tmp_path: Path) -> None:
    task(tmp_path, grader="def grade(answer):\n    return 1\n")
    assert played(tmp_path).code == 3
    (tmp_path / "tasks/stock/grade.py").write_text("def grade(*given):\n    return given[0].startswith('Written')\n")
    resumed = controlplane("resume", "last", "--json", cwd=tmp_path)
    assert (resumed.code, resumed.json["score"]) == (0, 1.0), resumed.err


def verdict(score: float, *quotes: str) -> str:
    return json.dumps({"faults": [{"quote": quote, "fault": "it is wrong"} for quote in quotes], "score": score})


RUBRIC = TASK + 'rubric = "The answer names the article A-7."\n'


@pytest.mark.parametrize(
    ("replies", "score", "details"),
    [
        ((verdict(1),), 1.0, []),
        ((verdict(0.5, "written:  12 PIECES"),), 0.5, ["it is wrong: 'written:  12 PIECES'"]),
        ((verdict(0, "names the article A-7"),), 0.0, ["it is wrong: 'names the article A-7'"]),
        ((verdict(0, "13 pieces"), verdict(0, "12 pieces")), 0.0, ["it is wrong: '12 pieces'"]),
        ((verdict(0.2), "```json\n" + verdict(1) + "\n```"), 1.0, []),
    ],
)
def test_a_rubric_counts_with_faults_that_quote_what_is_there(
    replies: tuple[str, ...], score: float, details: list[str], tmp_path: Path
) -> None:
    task(tmp_path, RUBRIC)
    done = played(tmp_path, graded=replies)
    (trial,) = done.json["trials"]
    assert (trial["score"], trial["details"]) == (score, details), done.err
    assert done.json["roles"]["grade"]["replies"] == len(replies)


def test_a_verdict_without_quotations_never_counts(tmp_path: Path) -> None:
    task(tmp_path, RUBRIC)
    done = played(tmp_path, graded=(verdict(0, "13 pieces"), verdict(0, "14 pieces")))
    (trial,) = done.json["trials"]
    assert trial["score"] is None
    assert "'14 pieces' stands neither in the answer nor in the rubric" in trial["reason"]


def test_a_folder_of_harbor_is_refused_with_a_word(tmp_path: Path) -> None:
    (tmp_path / "tasks/hello/environment").mkdir(parents=True)
    (tmp_path / "tasks/hello/instruction.md").write_text("Say hello.")
    (tmp_path / "tasks/hello/task.toml").write_text('version = "1.0"\n[verifier]\ntimeout_sec = 60.0\n')
    done = played(tmp_path)
    assert done.code == 2
    assert "this is a task of Harbor, which runs in its container" in done.err


def test_a_task_without_any_grader_is_refused(tmp_path: Path) -> None:
    task(tmp_path)
    done = played(tmp_path)
    assert done.code == 2
    assert "nothing says what is right: give [expected], a rubric, or a grade.py beside it" in done.err
