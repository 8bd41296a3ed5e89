"""Grades by what a task expects: the outcome, the message, the citations and the changes.

    [expected]
    outcome = "OUTCOME_OK"
    answer = "[COUNT:2]"
    references = ["/loans/1.json", "/loans/3.json"]

An answer scores 1 if it is as expected, and otherwise 0, with a remark for each fault.
"""

from pathlib import Path
from typing import Any

import pytest

from controlplane.benchmarks.folder.expected_grader import expected_grade
from controlplane.benchmarks.folder.task_folder import read_folder
from controlplane.benchmarks.folder.trial_environment import environment_of
from controlplane.gates.submission import OK, UNSUPPORTED
from controlplane.local_benchmark.generated_trial import Grade


def graded(
    folder: Path,
    expected: str,
    message: str,
    *,
    outcome: str = OK,
    cited: tuple[str, ...] = (),
    calls: tuple[tuple[str, dict[str, Any]], ...] = (),
) -> Grade:
    """Return the grade of an answer to a task that expects this, after the calls of the trial.

    `expected` is the text of the table `[expected]` in the `task.toml`. The task has four files,
    /loans/1.json to /loans/4.json.
    """
    files = folder / "tasks/overdue/files/loans"
    files.mkdir(parents=True)
    for number in range(1, 5):
        (files / f"{number}.json").write_text("{}")
    (folder / "tasks/overdue/task.toml").write_text(
        f'instruction = "How many loans are overdue?"\n[expected]\n{expected}'
    )
    task = read_folder(folder / "tasks").tasks["overdue"]
    environment = environment_of(task)
    for operation, arguments in calls:
        environment.call(operation, arguments)
    environment.answer(message, outcome, cited)
    return expected_grade(task, environment)


class TestFaults:
    """Two loans are overdue, which are to be cited. Nothing is to be changed."""

    expected = """
outcome = "OUTCOME_OK"
answer = "[COUNT:2]"
references = ["/loans/1.json", "/loans/3.json"]
"""

    def test_a_right_answer_scores_one(self, tmp_path: Path) -> None:
        grade = graded(
            tmp_path,
            self.expected,
            "[COUNT:2]",
            cited=("/loans/1.json", "/loans/3.json"),
        )

        assert grade == Grade(1.0, ())

    def test_another_message_is_a_fault(self, tmp_path: Path) -> None:
        grade = graded(
            tmp_path,
            self.expected,
            "[COUNT:3]",
            cited=("/loans/1.json", "/loans/3.json"),
        )

        assert grade.score == 0.0
        assert grade.details == ('Answer should be "[COUNT:2]"',)

    def test_another_outcome_is_a_fault(self, tmp_path: Path) -> None:
        grade = graded(
            tmp_path,
            self.expected,
            "[COUNT:2]",
            outcome=UNSUPPORTED,
            cited=("/loans/1.json", "/loans/3.json"),
        )

        assert grade.score == 0.0
        assert grade.details == (
            "expected outcome OUTCOME_OK, got OUTCOME_NONE_UNSUPPORTED",
        )

    def test_a_missing_citation_is_a_fault(self, tmp_path: Path) -> None:
        grade = graded(tmp_path, self.expected, "[COUNT:2]", cited=("/loans/1.json",))

        assert grade.score == 0.0
        assert grade.details == ("answer missing required reference '/loans/3.json'",)

    def test_a_citation_too_many_is_a_fault(self, tmp_path: Path) -> None:
        grade = graded(
            tmp_path,
            self.expected,
            "[COUNT:2]",
            cited=("/loans/1.json", "/loans/2.json", "/loans/3.json"),
        )

        assert grade.score == 0.0
        assert grade.details == ("answer contains invalid reference '/loans/2.json'",)

    @pytest.mark.parametrize(
        "call",
        [
            pytest.param(
                ("write", {"path": "/loans/9.json", "content": ""}), id="a new file"
            ),
            pytest.param(("delete", {"path": "/loans/4.json"}), id="a deleted file"),
        ],
    )
    def test_a_change_is_a_fault(
        self, call: tuple[str, dict[str, Any]], tmp_path: Path
    ) -> None:
        grade = graded(
            tmp_path,
            self.expected,
            "[COUNT:2]",
            cited=("/loans/1.json", "/loans/3.json"),
            calls=(call,),
        )

        assert grade.score == 0.0
        assert "expected no file changes" in str(grade.details)


class TestCitations:
    """A citation is graded only if the task says which are allowed."""

    @pytest.mark.parametrize(
        ("allowed_citations", "score"),
        [
            pytest.param("", 1.0, id="the task says nothing of citations"),
            pytest.param("tolerated = []\n", 0.0, id="no citation is tolerated"),
            pytest.param(
                'free = ["/l"]\n', 1.0, id="files that begin with /l are allowed"
            ),
        ],
    )
    def test_a_citation_is_graded_only_if_the_task_says_which_are_allowed(
        self, allowed_citations: str, score: float, tmp_path: Path
    ) -> None:
        """The answer has the expected date, and cites a file."""
        expected = 'outcome = "OUTCOME_OK"\ncontains = ["2027-04-16"]\n'

        grade = graded(
            tmp_path,
            expected + allowed_citations,
            "Until 2027-04-16.",
            cited=("/loans/2.json",),
        )

        assert grade.score == score


class TestPatterns:
    """A task may expect a message that fits a pattern, which has to fit all of it."""

    def test_a_message_that_fits_the_pattern_has_no_fault(self, tmp_path: Path) -> None:
        """Blanks around the message do not count."""
        grade = graded(
            tmp_path,
            "outcome = 'OUTCOME_OK'\npattern = '\\d+ loans'\n",
            " 2 loans\n",
        )

        assert grade == Grade(1.0, ())

    def test_a_message_that_fits_only_in_part_is_a_fault(self, tmp_path: Path) -> None:
        grade = graded(
            tmp_path,
            "outcome = 'OUTCOME_OK'\npattern = '\\d+ loans'\n",
            "2 loans!",
        )

        assert grade.score == 0.0
        assert grade.details == (r"answer should fit the pattern '\\d+ loans'",)

    def test_no_pattern_takes_long(self, tmp_path: Path) -> None:
        """This one takes ages in an engine that backtracks. RE2 runs it."""
        grade = graded(
            tmp_path,
            "outcome = 'OUTCOME_OK'\npattern = '(a+)+b'\n",
            "a" * 60,
        )

        assert grade.details == ("answer should fit the pattern '(a+)+b'",)
