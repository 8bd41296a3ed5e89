"""A change of files is a fault of an answer if its task expects none.

`graded(...)` makes the calls of a trial, gives the answer, and returns its grade: 1 if all is as
expected, and otherwise 0, with a remark for each fault.
"""

from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.folder.grades.expected_grades.graded_answers import graded


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(
            ("write", {"path": "/loans/9.json", "content": ""}), id="a new file"
        ),
        pytest.param(("delete", {"path": "/loans/4.json"}), id="a deleted file"),
    ],
)
def test_a_change_is_a_fault(call: tuple[str, dict[str, Any]], tmp_path: Path) -> None:
    grade = graded(
        tmp_path,
        'outcome = "OUTCOME_OK"\nanswer = "[COUNT:2]"\n',
        "[COUNT:2]",
        calls=(call,),
    )

    assert grade.score == 0.0
    assert "expected no file changes" in str(grade.details)
