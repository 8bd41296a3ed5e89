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
        pytest.param("'good'", "return a score", id="returns a text"),
        pytest.param(
            "2.0, ['twice as good']",
            "outside the scale from 0 to 1",
            id="returns a score above 1",
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


def test_a_program_that_is_not_python_gives_no_grade(server: ForkServer) -> None:
    with pytest.raises(BenchmarkError, match=r"grade\.py: "):
        grade_by_program("def grade(:\n", server)


def test_a_program_that_takes_too_few_arguments_gives_no_grade(
    server: ForkServer,
) -> None:
    with pytest.raises(BenchmarkError, match=r"grade\(\) takes 1 positional argument"):
        grade_by_program("def grade(answer):\n    return 1\n", server)
