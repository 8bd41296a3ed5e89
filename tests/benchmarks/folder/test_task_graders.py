"""Grades of a task in a folder by a program `grade.py`, or by a rubric that a model reads.

    tasks/stock/task.toml     instruction = "Write the stock of A-7 into /stock.txt."
    tasks/stock/files/a.txt   a file that the agent sees, here as /a.txt: "A-7: 12"
    tasks/stock/grade.py      def grade(answer, outcome, citations, changes): ...

Each test runs the task `stock`. The model gives scripted replies: it always writes "12 pieces" into
the file, and answers "Written: 12 pieces.".
"""

import json
import math
from pathlib import Path

import pytest

from tests.support.command import CommandResult, run_controlplane

pytestmark = pytest.mark.usefixtures("shared_fork_servers")

STOCK_TASK = 'instruction = "Write the stock of A-7 into /stock.txt."\n'
"""The `task.toml` of the task `stock`. It does not say what is right: a program or a rubric does."""

STOCK_REPLY = """
[[reply]]
code = '''
harness.write("/stock.txt", "12 pieces")
scratchpad["answer"] = "Written: 12 pieces."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["changes"] = ["/stock.txt"]
harness.answer(scratchpad, lambda sp: "12" in sp["answer"])
'''
"""
"""The model's reply, a script that writes the stock and answers "Written: 12 pieces."."""


def write_stock_task(folder: Path, text: str = STOCK_TASK, grader: str = "") -> None:
    """Write the task `stock` into the folder `tasks`.

    `text` is that of its `task.toml`. `grader` is that of its `grade.py`; empty for a task without.
    """
    (folder / "tasks/stock/files").mkdir(parents=True)
    (folder / "tasks/stock/files/a.txt").write_text("A-7: 12")
    (folder / "tasks/stock/task.toml").write_text(text)
    if grader:
        (folder / "tasks/stock/grade.py").write_text(grader)


def run_stock_task(folder: Path, *, verdicts: tuple[str, ...] = ()) -> CommandResult:
    """Run the task `stock` with the scripted reply, and return the output and exit code.

    `verdicts` are the replies of the model that grades by a rubric, in their order.
    """
    replies = STOCK_REPLY
    for text in verdicts:
        replies += f"[[reply]]\nrole = 'grade'\ntext = '''{text}'''\n"
    (folder / "replies.toml").write_text(replies)
    return run_controlplane(
        "run",
        *("--benchmark", "folder:tasks"),
        *("--model", "scripted:replies.toml"),
        "--json",
        cwd=folder,
    )


def grader_returning(expression: str) -> str:
    """Return the text of a `grade.py` that returns this expression: `"answer == '13'"`.

    It may use `answer`, `outcome`, `citations`, which are paths, and `changes`, the texts of
    changed files: `{"/stock.txt": "12 pieces"}`.
    """
    return f"def grade(answer, outcome, citations, changes):\n    return {expression}\n"


class TestGradesByProgram:
    """A program `grade.py` gives the grade: True, False, or a score with details.

    It gets the answer, "Written: 12 pieces.", the outcome, the citations (here none), and the texts
    of changed files: `{"/stock.txt": "12 pieces"}`.
    """

    @pytest.mark.parametrize(
        ("expression", "score", "details"),
        [
            pytest.param(
                "'12' in answer and outcome == 'OUTCOME_OK'", 1.0, [], id="true is 1"
            ),
            pytest.param("answer == '13'", 0.0, [], id="false is 0"),
            pytest.param(
                "0.5, [changes['/stock.txt'], str(citations)]",
                0.5,
                ["12 pieces", "[]"],
                id="a score with details",
            ),
        ],
    )
    def test_a_grader_gets_answer_outcome_citations_and_changes(
        self, expression: str, score: float, details: list[str], tmp_path: Path
    ) -> None:
        """A grader returns True or False, or a score with details. The answer cites nothing."""
        write_stock_task(tmp_path, grader=grader_returning(expression))

        run = run_stock_task(tmp_path)

        (trial,) = run.json["trials"]
        assert trial["score"] == score, run.err
        assert trial["details"] == details


# Exit codes of commands: without errors, and for trials that have no grade
SUCCESS = 0
UNGRADED_TRIALS = 3


class TestFailingPrograms:
    """A trial whose grader fails has no grade, until the grader is corrected.

    The trial stays open, and the exit code of the run says so.
    """

    @pytest.mark.parametrize(
        ("grader", "reason"),
        [
            pytest.param(
                grader_returning("open('/etc/passwd').read()"),
                "grade.py: ",
                id="reads a file",
            ),
            pytest.param(
                grader_returning("'good'"), "return a score", id="returns a text"
            ),
            pytest.param(
                grader_returning("2.0, ['twice as good']"),
                "outside the scale from 0 to 1",
                id="returns a score above 1",
            ),
            pytest.param("def grade(:\n", "grade.py: ", id="is not Python"),
        ],
    )
    def test_a_grader_that_fails_leaves_its_trial_without_a_score(
        self, grader: str, reason: str, tmp_path: Path
    ) -> None:
        """The trial stays open until there is a score, and the exit code of the run says so.

        Graders run in the sandbox, so they can't read files of the computer.
        """
        write_stock_task(tmp_path, grader=grader)

        run = run_stock_task(tmp_path)

        (trial,) = run.json["trials"]
        assert run.code == UNGRADED_TRIALS
        assert trial["score"] is None
        assert trial["state"] == "open"
        assert reason in trial["reason"]

    def test_resume_grades_by_a_grader_that_was_corrected(self, tmp_path: Path) -> None:
        """The first grader takes too few arguments. The model need not answer again."""
        write_stock_task(tmp_path, grader="def grade(answer):\n    return 1\n")
        run = run_stock_task(tmp_path)
        assert run.code == UNGRADED_TRIALS

        (tmp_path / "tasks/stock/grade.py").write_text(
            grader_returning("'12' in answer")
        )
        resumed = run_controlplane("resume", "last", "--json", cwd=tmp_path)

        assert resumed.code == SUCCESS, resumed.err
        assert resumed.json["score"] == 1.0


TASK_WITH_RUBRIC = STOCK_TASK + 'rubric = "The answer names the article A-7."\n'


def verdict(score: float, *quotes: str) -> str:
    """Return a verdict with one fault for each quotation.

    `verdict(0.5, "12")` -> `{"faults": [{"quote": "12", "fault": "it is wrong"}], "score": 0.5}`
    """
    faults = [{"quote": quote, "fault": "it is wrong"} for quote in quotes]
    return json.dumps({"faults": faults, "score": score})


class TestGradesByRubric:
    """A model grades the task: it reads the answer and a rubric, and replies with a verdict.

    The rubric is "The answer names the article A-7.", and the answer "Written: 12 pieces.". Each
    fault in a verdict must quote one of the two:
    `{"faults": [{"quote": "12", "fault": "it is wrong"}], "score": 0.5}`.
    """

    @pytest.mark.parametrize(
        ("text", "score", "details"),
        [
            pytest.param(verdict(1), 1.0, [], id="no fault"),
            pytest.param(
                verdict(0.5, "written:  12 PIECES"),
                0.5,
                ["it is wrong: 'written:  12 PIECES'"],
                id="quotes the answer with other blanks and capitals",
            ),
            pytest.param(
                verdict(0, "names the article A-7"),
                0.0,
                ["it is wrong: 'names the article A-7'"],
                id="quotes the rubric",
            ),
        ],
    )
    def test_a_verdict_whose_faults_quote_answer_or_rubric_counts(
        self, text: str, score: float, details: list[str], tmp_path: Path
    ) -> None:
        """The model that grades is asked once. A quotation may differ in blanks and capitals."""
        write_stock_task(tmp_path, TASK_WITH_RUBRIC)

        run = run_stock_task(tmp_path, verdicts=(text,))

        (trial,) = run.json["trials"]
        assert trial["score"] == score, run.err
        assert trial["details"] == details
        assert run.json["roles"]["grade"]["replies"] == 1


class TestVerdictsThatDoNotCount:
    """After a verdict that does not count, the model is asked once more.

    A verdict counts if its score is a number from 0 to 1, and below 1 exactly if it has a fault. A
    fault has to quote the answer, "Written: 12 pieces.", or the rubric.

    `TASK_WITH_RUBRIC` is the text of the `task.toml`.
    """

    @pytest.mark.parametrize(
        ("first_verdict", "second_verdict", "score", "details"),
        [
            pytest.param(
                verdict(0, "13 pieces"),
                verdict(0, "12 pieces"),
                0.0,
                ["it is wrong: '12 pieces'"],
                id="the first quotes 13 pieces, but the answer is 12",
            ),
            pytest.param(
                verdict(0.2),
                f"```json\n{verdict(1)}\n```",
                1.0,
                [],
                id="the first lowers the score without a fault",
            ),
            pytest.param(
                verdict(5, "12 pieces"),
                verdict(0.5, "12 pieces"),
                0.5,
                ["it is wrong: '12 pieces'"],
                id="the first has a score above 1",
            ),
            pytest.param(
                verdict(1, "12 pieces"),
                verdict(math.nan),
                None,
                [],
                id="the first has a fault and the full score, the second no number",
            ),
        ],
    )
    def test_after_a_verdict_that_does_not_count_a_second_one_is_asked_for(
        self,
        first_verdict: str,
        second_verdict: str,
        score: float | None,
        details: list[str],
        tmp_path: Path,
    ) -> None:
        write_stock_task(tmp_path, TASK_WITH_RUBRIC)

        run = run_stock_task(tmp_path, verdicts=(first_verdict, second_verdict))

        (trial,) = run.json["trials"]
        assert trial["score"] == score, run.err
        assert trial["details"] == details
        assert run.json["roles"]["grade"]["replies"] == 2


class TestResumedGrading:
    """If the second verdict does not count either, the trial has no score until it is resumed."""

    def test_after_two_verdicts_that_do_not_count_resume_asks_for_another(
        self, tmp_path: Path
    ) -> None:
        """Both verdicts quote what is not in the answer, until the first one is corrected."""
        write_stock_task(tmp_path, TASK_WITH_RUBRIC)
        run = run_stock_task(
            tmp_path, verdicts=(verdict(0, "13 pieces"), verdict(0, "14 pieces"))
        )
        (trial,) = run.json["trials"]
        assert trial["score"] is None
        assert (
            "'14 pieces' stands neither in the answer nor in the rubric"
            in trial["reason"]
        )

        # Now the first verdict of the model quotes the answer, and counts.
        replies = (tmp_path / "replies.toml").read_text()
        (tmp_path / "replies.toml").write_text(
            replies.replace("13 pieces", "12 pieces")
        )
        resumed = run_controlplane("resume", "last", "--json", cwd=tmp_path)

        assert resumed.code == SUCCESS, resumed.err
        assert resumed.json["score"] == 0.0
