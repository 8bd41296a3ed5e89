"""Changes of several text files, which are all made or none.

An agent proposes new texts for files. The user sees a diff and consents, and then all files are
written. The files as they were are kept in the folder of old versions, for `undo`:

    folder.change(one="new\\n")
    folder.old_texts() -> {"one": "1\\n"}
"""

import os
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from controlplane.file_changes.file_change import ChangeRefused
from controlplane.file_changes.step_list import StepList
from tests.controlplane.file_changes.text_folder import TextFolder, impossible_change


def mode_of(path: Path) -> int:
    """Return the permissions of a file, such as 0o640."""
    return path.stat().st_mode & 0o7777


class TestOldVersions:
    """Files are changed and deleted, and kept as they were, for `undo`.

    `folder.change(one="new\\n", two=None)` changes one.txt and deletes two.txt.
    """

    def test_files_are_changed_and_deleted_and_the_old_versions_are_kept(
        self, folder: TextFolder
    ) -> None:
        folder.write(one="1\n", two="2\n")

        folder.change(one="new\n", two=None)

        assert folder.texts() == {"one": "new\n"}
        assert folder.old_texts() == {"one": "1\n", "two": "2\n"}

    def test_old_versions_are_those_of_the_last_changes_only(
        self, folder: TextFolder
    ) -> None:
        """Only the last changes can be undone."""
        folder.write(one="1\n", two="2\n")

        folder.change(one="new\n", two=None)
        folder.change(one="newer\n")

        assert folder.old_texts() == {"one": "new\n"}
        assert [path.name for path in folder.old_versions.iterdir()] == ["one.txt"]

    def test_a_changed_file_and_its_old_version_have_the_mode_of_the_file(
        self, folder: TextFolder
    ) -> None:
        """Old versions are in a folder that only the user can open."""
        folder.write(one="1\n")
        folder.path("one").chmod(0o640)

        folder.change(one="new\n")

        assert mode_of(folder.path("one")) == 0o640
        assert mode_of(folder.old_versions / "one.txt") == 0o640
        assert mode_of(folder.old_versions) == 0o700

    def test_an_old_version_survives_an_edit_in_place(self, folder: TextFolder) -> None:
        """An editor may hold the old file open and write to it after the change. The old version is
        a copy, so the editor's text does not reach it."""
        folder.write(one="old")

        with folder.path("one").open("r+") as file_of_editor:
            folder.change(one="new")
            file_of_editor.write("odd")

        assert folder.old_texts() == {"one": "old"}


class TestRefusedChanges:
    """One of the changes cannot be made as the user has seen it: none is made.

    `folder.prepared(one="new\\n")` is the change that the user sees as a diff, and
    `folder.make(changes)` makes it later, when the user has consented.
    """

    def test_a_text_that_its_encoding_lacks_is_refused_before_anything_is_written(
        self, folder: TextFolder
    ) -> None:
        """A changed file keeps its encoding. cp1252 has no arrow, so the message names its line."""
        folder.path("two").write_bytes("Größe: 3 €\n".encode("cp1252"))
        changes = folder.prepared(one="new", two="Größe: 3 €\n→\n")

        with pytest.raises(
            ChangeRefused,
            match=r"two.txt: it is written in cp1252, which has no '→' \(line 2\)",
        ):
            folder.make(changes)

        assert not folder.path("one").exists()

    def test_a_file_that_the_user_edited_since_the_diff_is_not_overwritten(
        self, folder: TextFolder
    ) -> None:
        """The edit is noticed even if an editor gives the file an older time of change."""
        folder.write(one="oldest\n")
        folder.change(one="old\n")
        changes = folder.prepared(one="new\n")

        last_access = folder.path("one").stat().st_atime
        folder.write(one="edited\n")
        os.utime(folder.path("one"), (last_access, 1.0))
        with pytest.raises(ChangeRefused, match=r"one.txt: it was changed meanwhile"):
            folder.make(changes)

        assert folder.texts() == {"one": "edited\n"}
        assert folder.old_texts() == {"one": "oldest\n"}


class TestFailures:
    """A change fails half way, and the changes before it are undone.

    `impossible_change` is the change of a file whose name is too long to be written.
    """

    def test_a_failure_half_way_undoes_the_changes_before_it(
        self, folder: TextFolder
    ) -> None:
        """The first file is put back when the second cannot be written. The folder of old versions
        still has what the last complete changes have kept."""
        folder.write(one="oldest\n")
        folder.change(one="old\n")
        changes = {**folder.prepared(one="new\n"), **impossible_change(folder.root)}

        with pytest.raises(
            (ChangeRefused, UsageError),
            match=r"b: it cannot be written: File name too long",
        ):
            folder.make(changes)

        assert folder.texts() == {"one": "old\n"}
        assert folder.old_texts() == {"one": "oldest\n"}

    def test_a_failure_leaves_no_new_folder(self, folder: TextFolder) -> None:
        """The first file is in a folder that has to be made, and the second cannot be written."""
        changes = {
            **folder.prepared(**{"new/deep/ok": "x"}),
            **impossible_change(folder.root, "other/"),
        }

        with pytest.raises(ChangeRefused, match="File name too long"):
            folder.make(changes)

        assert not list(folder.root.iterdir())

    def test_files_are_restored_if_the_list_for_undoing_cannot_be_written(
        self, folder: TextFolder
    ) -> None:
        """A change that could not be undone later is not made.

        A folder that is not empty stands in place of the list, so that it cannot be written.
        """
        folder.write(one="old\n")
        undo_list = StepList("changed", folder.old_versions)
        (undo_list.path / "a").mkdir(parents=True)

        with pytest.raises(ChangeRefused, match=r"it cannot be written"):
            folder.change(one="new\n")

        assert folder.texts() == {"one": "old\n"}
