"""A program `grade.py` of a task that fails gives no grade, and the error's message says why.

It runs in the sandbox like a script, so it cannot read the files of the computer.
"""

import pytest

from controlplane import BenchmarkError
from controlplane.sandbox import ForkServer
from tests.benchmarks.folder.grades.by_program.program_grades import grade_by_program


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
        pytest.param("1e308", "the score 1e+308 is no finite number", id="1e308"),
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
