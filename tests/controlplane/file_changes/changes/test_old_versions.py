"""Text files are changed and deleted, all or none, and kept as they were, for `undo`.

For example:

    folder.change(one="new\\n", two=None)    changes one.txt and deletes two.txt
    folder.old_texts()    ->    {"one": "1\\n", "two": "2\\n"}
"""

from pathlib import Path

from tests.controlplane.file_changes.text_folder import TextFolder


def mode_of(path: Path) -> int:
    """Return the permissions of a file, such as 0o640."""
    return path.stat().st_mode & 0o7777


def test_files_are_changed_and_deleted_and_the_old_versions_are_kept(
    folder: TextFolder,
) -> None:
    folder.write(one="1\n", two="2\n")

    folder.change(one="new\n", two=None)

    assert folder.texts() == {"one": "new\n"}
    assert folder.old_texts() == {"one": "1\n", "two": "2\n"}


def test_old_versions_are_those_of_the_last_changes_only(folder: TextFolder) -> None:
    """Only the last changes can be undone."""
    folder.write(one="1\n", two="2\n")

    folder.change(one="new\n", two=None)
    folder.change(one="newer\n")

    assert folder.old_texts() == {"one": "new\n"}
    assert [path.name for path in folder.old_versions.iterdir()] == ["one.txt"]


def test_a_changed_file_and_its_old_version_have_the_mode_of_the_file(
    folder: TextFolder,
) -> None:
    """Old versions are in a folder that only the user can open."""
    folder.write(one="1\n")
    folder.path("one").chmod(0o640)

    folder.change(one="new\n")

    assert mode_of(folder.path("one")) == 0o640
    assert mode_of(folder.old_versions / "one.txt") == 0o640
    assert mode_of(folder.old_versions) == 0o700


def test_an_old_version_survives_an_edit_in_place(folder: TextFolder) -> None:
    """An editor may hold the old file open and write to it after the change. The old version is
    a copy, so the editor's text does not reach it."""
    folder.write(one="old")

    with folder.path("one").open("r+") as file_of_editor:
        folder.change(one="new")
        file_of_editor.write("odd")

    assert folder.old_texts() == {"one": "old"}
