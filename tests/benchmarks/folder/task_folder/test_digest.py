"""The digest of a folder of tasks tells whether the folder is still as it was in a run.

The journal of a run has it. The task `one` is `one/task.toml`, and its agent sees the files below
`one/files/`.
"""

from pathlib import Path

from controlplane.benchmarks.folder.task_folder import read_folder
from tests.benchmarks.folder.written_tasks import TASK, task_folder


def test_the_digest_of_a_folder_does_not_change_by_itself(tmp_path: Path) -> None:
    folder = task_folder(tmp_path, {"one/task.toml": TASK, "one/files/a.txt": "n"})

    assert read_folder(folder).digest == read_folder(folder).digest


def test_the_digest_of_a_folder_changes_with_every_text_and_name(
    tmp_path: Path,
) -> None:
    folder = task_folder(tmp_path, {"one/task.toml": TASK, "one/files/a.txt": "n"})
    digest = read_folder(folder).digest

    (folder / "one/files/a.txt").write_text("m")
    digest_with_another_text = read_folder(folder).digest
    (folder / "one/files/a.txt").rename(folder / "one/files/b.txt")
    digest_with_another_name = read_folder(folder).digest

    assert digest_with_another_text != digest
    assert digest_with_another_name not in (digest, digest_with_another_text)
