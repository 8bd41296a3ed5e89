"""The program `grade.py` of a task gives the grade of an answer: True, False, or a score.

    def grade(answer, outcome, citations, changes):
        return "12" in answer

It runs in the sandbox like a script.
"""

from collections.abc import Iterator

import pytest

from controlplane import BenchmarkError
from controlplane.benchmarks.folder.script_grader import script_grade
from controlplane.local_benchmark.generated_trial import Grade
from controlplane.local_benchmark.local_environment import SubmittedAnswer
from controlplane.sandbox import ForkServer


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    """Starts the processes in which programs run."""
    with ForkServer() as server:
        yield server


def grade_by(program: str, server: ForkServer) -> Grade:
    """Return the grade of an answer by this program.

    The answer is "There are 12.", its outcome OUTCOME_OK. It cites /a.txt, and has written /b.txt.
    """
    answer = SubmittedAnswer("There are 12.", "OUTCOME_OK", refs=("/a.txt",))
    return script_grade(program, answer, {"/b.txt": "12 pieces"}, server)


class TestPrograms:
    @pytest.mark.parametrize(
        ("expression", "score"),
        [
            pytest.param("'12' in answer", 1.0, id="true is 1"),
            pytest.param("'13' in answer", 0.0, id="false is 0"),
            pytest.param("0.5", 0.5, id="a score"),
        ],
    )
    def test_a_program_returns_true_or_false_or_a_score(
        self, expression: str, score: float, server: ForkServer
    ) -> None:
        grade = grade_by(
            "def grade(answer, outcome, citations, changes):\n"
            f"    return {expression}\n",
            server,
        )

        assert grade.score == score
        assert grade.details == ()

    def test_a_program_gets_answer_outcome_citations_and_changes(
        self, server: ForkServer
    ) -> None:
        """It returns them as the details of its score."""
        grade = grade_by(
            "def grade(answer, outcome, citations, changes):\n"
            "    return 0.5, [answer, outcome, str(citations), changes['/b.txt']]\n",
            server,
        )

        assert grade.score == 0.5
        assert grade.details == (
            "There are 12.",
            "OUTCOME_OK",
            "['/a.txt']",
            "12 pieces",
        )


class TestFailingPrograms:
    """A program that fails gives no grade, and its message says why."""

    @pytest.mark.parametrize(
        ("expression", "reason"),
        [
            pytest.param(
                # Programs run in the sandbox, so they can't read files of the computer.
                "open('/etc/passwd').read()",
                "grade.py: ",
                id="reads a file",
            ),
            pytest.param("'good'", "return a score", id="returns a text"),
            pytest.param(
                "2.0, ['twice as good']",
                "outside the scale from 0 to 1",
                id="returns a score above 1",
            ),
        ],
    )
    def test_a_program_that_fails_gives_no_grade(
        self, expression: str, reason: str, server: ForkServer
    ) -> None:
        program = (
            "def grade(answer, outcome, citations, changes):\n"
            f"    return {expression}\n"
        )

        with pytest.raises(BenchmarkError, match=reason):
            grade_by(program, server)

    def test_a_program_that_is_not_python_gives_no_grade(
        self, server: ForkServer
    ) -> None:
        with pytest.raises(BenchmarkError, match=r"grade\.py: "):
            grade_by("def grade(:\n", server)

    def test_a_program_that_takes_too_few_arguments_gives_no_grade(
        self, server: ForkServer
    ) -> None:
        with pytest.raises(
            BenchmarkError, match=r"grade\(\) takes 1 positional argument"
        ):
            grade_by("def grade(answer):\n    return 1\n", server)
