"""The key `expected` of a `task.toml` names files that a right answer cites, or that are to be changed.

A file that is missing is reported with the task's folder and the key:
`one/task.toml: expected.references[0]: /none is not a file`.
"""

from pathlib import Path

import pytest

from tests.benchmarks.folder.written_tasks import TASK, fault_of, task_folder


@pytest.mark.parametrize(
    ("expected_keys", "fault"),
    [
        pytest.param(
            'references = ["/none"]',
            "one/task.toml: expected.references[0]: /none is not a file",
            id="a reference that does not exist",
        ),
        pytest.param(
            '[[expected.change]]\npath = "/notes.txt"\nfile = "../../x"',
            "one/task.toml: expected.change[0].file: '../../x' leads out",
            id="a file outside as the result of a change",
        ),
        pytest.param(
            '[[expected.change]]\npath = "/notes.txt"\nfile = "gone.txt"',
            "one/task.toml: expected.change[0].file: there is no file 'gone",
            id="a file that does not exist as the result of a change",
        ),
        pytest.param(
            '[[expected.change]]\npath = "/none"\ndeleted = true',
            "one/task.toml: expected.change[0].path: /none is not a file that could be deleted",
            id="the deletion of a file that does not exist",
        ),
    ],
)
def test_an_expectation_of_a_missing_file_is_reported_with_its_place(
    expected_keys: str, fault: str, tmp_path: Path
) -> None:
    folder = task_folder(
        tmp_path,
        {"one/task.toml": TASK + expected_keys, "one/files/notes.txt": "n"},
    )

    assert fault in fault_of(folder)
