"""The key `trees` of a `task.toml` names the folders whose files the agent sees.

They must be in the folder of all tasks, and the agent must not see the task.toml. A fault is
reported with the task's folder and the key: `one/task.toml: trees[0]: '/etc' leads out of the folder`.
"""

from pathlib import Path

import pytest

from tests.benchmarks.folder.written_tasks import TASK, fault_of, task_folder


@pytest.mark.parametrize(
    ("trees", "fault"),
    [
        pytest.param(
            '["../.."]',
            "one/task.toml: trees[0]: '../..' leads out of the folder",
            id="a folder above all tasks",
        ),
        pytest.param(
            '["/etc"]',
            "one/task.toml: trees[0]: '/etc' leads out of the folder",
            id="an absolute path",
        ),
        pytest.param(
            '["files", "."]',
            "one/task.toml: trees[1]: '.' would show task.toml",
            id="the folder of the task itself",
        ),
        pytest.param(
            '["files/.."]',
            "one/task.toml: trees[0]: 'files/..' would show task.toml",
            id="the folder of the task, spelt in another way",
        ),
        pytest.param(
            '["other"]',
            "one/task.toml: trees[0]: there is no file below 'other'",
            id="a folder that does not exist",
        ),
        pytest.param(
            '["' + 100_000 * "a/" + '"]',
            "this name cannot be used",
            id="a long path",
        ),
        pytest.param(
            "[" + 21 * '"files", ' + "]",
            "one/task.toml: trees: Tuple should have at most 20 items",
            id="too many folders",
        ),
    ],
)
def test_a_fault_of_trees_is_reported_with_its_place(
    trees: str, fault: str, tmp_path: Path
) -> None:
    folder = task_folder(
        tmp_path,
        {"one/task.toml": f"trees = {trees}\n{TASK}", "one/files/notes.txt": "n"},
    )

    assert fault in fault_of(folder)
