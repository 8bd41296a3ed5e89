"""Paths in a task.toml, of folders and files that the task needs, are checked when it is read.

A fault is reported with the task's folder and the key: `one/task.toml: trees[0]: ... leads out`.
"""

from pathlib import Path

import pytest

from tests.benchmarks.folder.written_tasks import TASK, fault_of, task_folder


class TestTrees:
    """The key `trees` names the folders whose files the agent sees, by default `files`.

    They must be in the folder of all tasks, and the agent must not see the task.toml.
    """

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
        self, trees: str, fault: str, tmp_path: Path
    ) -> None:
        folder = task_folder(
            tmp_path,
            {"one/task.toml": f"trees = {trees}\n{TASK}", "one/files/notes.txt": "n"},
        )

        assert fault in fault_of(folder)


class TestExpectedFiles:
    """`[expected]` names files that a right answer cites, or that the agent has to change."""

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
        self, expected_keys: str, fault: str, tmp_path: Path
    ) -> None:
        folder = task_folder(
            tmp_path,
            {"one/task.toml": TASK + expected_keys, "one/files/notes.txt": "n"},
        )

        assert fault in fault_of(folder)


def test_a_tool_with_the_path_of_a_file_is_reported_with_its_place(
    tmp_path: Path,
) -> None:
    folder = task_folder(
        tmp_path,
        {
            "one/task.toml": f'{TASK}[[tool]]\npath = "/notes.txt"\n',
            "one/files/notes.txt": "n",
        },
    )

    assert "one/task.toml: tool[0].path: /notes.txt is a file already" in fault_of(
        folder
    )


def test_an_unknown_key_is_reported_with_the_tasks_folder(tmp_path: Path) -> None:
    folder = task_folder(tmp_path, {"one/task.toml": f"oops = 1\n{TASK}"})

    assert "one/task.toml: oops: there is no such key" in fault_of(folder)
