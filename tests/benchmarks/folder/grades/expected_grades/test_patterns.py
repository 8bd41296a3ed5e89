r"""A task may expect an answer that fits a pattern, which has to fit all of it: `pattern = '\d+ loans'`.

`graded(...)` is the grade of an answer: 1 if it is as expected, and otherwise 0, with a remark for
each fault.
"""

from pathlib import Path

from controlplane.local_benchmark.local_benchmark import Grade
from tests.benchmarks.folder.grades.expected_grades.graded_answers import graded


def test_a_message_that_fits_the_pattern_has_no_fault(tmp_path: Path) -> None:
    """Blanks around the message do not count."""
    grade = graded(
        tmp_path,
        "outcome = 'OUTCOME_OK'\npattern = '\\d+ loans'\n",
        " 2 loans\n",
    )

    assert grade == Grade(1.0, ())


def test_a_message_that_fits_only_in_part_is_a_fault(tmp_path: Path) -> None:
    grade = graded(
        tmp_path,
        "outcome = 'OUTCOME_OK'\npattern = '\\d+ loans'\n",
        "2 loans!",
    )

    assert grade.score == 0.0
    assert grade.details == (r"answer should fit the pattern '\\d+ loans'",)


def test_no_pattern_takes_long(tmp_path: Path) -> None:
    """This one takes ages in an engine that backtracks. RE2 runs it."""
    grade = graded(
        tmp_path,
        "outcome = 'OUTCOME_OK'\npattern = '(a+)+b'\n",
        "a" * 60,
    )

    assert grade.details == ("answer should fit the pattern '(a+)+b'",)
