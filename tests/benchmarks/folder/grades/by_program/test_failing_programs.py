"""A program `grade.py` of a task that fails gives no grade, and the error's message says why.

It runs in the sandbox like a script, so it cannot read the files of the computer.
"""

from collections.abc import Iterator

import pytest

from controlplane import BenchmarkError
from controlplane.benchmarks.folder.folder_benchmark import script_grade
from controlplane.sandbox import ForkServer
from controlplane.tool_benchmark.environments import SubmittedAnswer
from controlplane.tool_benchmark.local_runs import Grade


@pytest.fixture(scope="session")
def server() -> Iterator[ForkServer]:
    """Starts the processes in which programs run."""
    with ForkServer() as server:
        yield server


# Grades of the answer "There are 12." by a program of its task, `grade.py`.
#
#     grade_by_program("def grade(answer, outcome, citations, changes):\n    return '12' in answer\n", server)
#     # Grade(1.0, ())
#
# The program runs in the sandbox like a script of the model.


def grade_by_program(program: str, server: ForkServer) -> Grade:
    """Return the grade of an answer by this program.

    The answer is "There are 12.", its outcome OUTCOME_OK. It cites /a.txt, and has written /b.txt.
    """
    answer = SubmittedAnswer("There are 12.", "OUTCOME_OK", refs=("/a.txt",))
    return script_grade(program, answer, {"/b.txt": "12 pieces"}, server)


# The program `grade.py` of a task gives the grade of an answer: True, False, or a score.
#
#     def grade(answer, outcome, citations, changes):
#         return "12" in answer
#
# The answer here is "There are 12.".


@pytest.mark.parametrize(
    ("expression", "score", "details"),
    [
        pytest.param("'12' in answer", 1.0, (), id="true is 1"),
        pytest.param(
            "'13' in answer",
            0.0,
            ("grade.py returned False, without a reason",),
            id="false is 0",
        ),
        pytest.param("0.5", 0.5, (), id="a score"),
    ],
)
def test_a_program_returns_true_or_false_or_a_score(
    expression: str, score: float, details: tuple[str, ...], server: ForkServer
) -> None:
    grade = grade_by_program(
        f"def grade(answer, outcome, citations, changes):\n    return {expression}\n",
        server,
    )

    assert grade.score == score
    assert grade.details == details


def test_a_program_gets_answer_outcome_citations_and_changes(
    server: ForkServer,
) -> None:
    """It returns them as the details of its score."""
    grade = grade_by_program(
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


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        pytest.param(
            # Programs run in the sandbox, so they can't read files of the computer.
            "open('/etc/passwd').read()",
            "grade.py: ",
            id="reads a file",
        ),
    ],
)
def test_a_program_that_fails_gives_no_grade(
    expression: str, reason: str, server: ForkServer
) -> None:
    program = (
        f"def grade(answer, outcome, citations, changes):\n    return {expression}\n"
    )

    with pytest.raises(BenchmarkError, match=reason):
        grade_by_program(program, server)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        pytest.param(
            "'good'", "grade.py returned 'good', which is no score", id="text"
        ),
        pytest.param(
            "2.0, ['twice as good']", "the score 2 is not from 0 to 1", id="above 1"
        ),
        pytest.param("1e308", "the score 1e+308 is no number up to 10^15", id="1e308"),
    ],
)
def test_a_program_that_returns_no_score_gives_a_grade_without_one(
    expression: str, reason: str, server: ForkServer
) -> None:
    program = (
        f"def grade(answer, outcome, citations, changes):\n    return {expression}\n"
    )

    grade = grade_by_program(program, server)

    assert grade.score is None
    assert grade.details[0] == reason


def test_a_program_that_is_not_python_gives_no_grade(server: ForkServer) -> None:
    with pytest.raises(BenchmarkError, match=r"grade\.py: "):
        grade_by_program("def grade(:\n", server)


def test_a_program_that_takes_too_few_arguments_gives_no_grade(
    server: ForkServer,
) -> None:
    with pytest.raises(BenchmarkError, match=r"grade\(\) takes 1 positional argument"):
        grade_by_program("def grade(answer):\n    return 1\n", server)
