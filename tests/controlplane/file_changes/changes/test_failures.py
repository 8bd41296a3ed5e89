"""A change fails half way, and the changes before it are undone.

`impossible_change` is the change of a file whose name is too long to be written:

    folder.make({one.txt: "new", bbbb...: "x"})    ->    ChangeRefused, and one.txt is as it was
"""

import pytest

from controlplane.errors import UsageError
from controlplane.file_changes.file_change import ChangeRefused
from controlplane.file_changes.step_list import StepList
from tests.controlplane.file_changes.text_folder import TextFolder, impossible_change


def test_a_failure_half_way_undoes_the_changes_before_it(folder: TextFolder) -> None:
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


def test_a_failure_leaves_no_new_folder(folder: TextFolder) -> None:
    """The first file is in a folder that has to be made, and the second cannot be written."""
    changes = {
        **folder.prepared(**{"new/deep/ok": "x"}),
        **impossible_change(folder.root, "other/"),
    }

    with pytest.raises(ChangeRefused, match="File name too long"):
        folder.make(changes)

    assert not list(folder.root.iterdir())


def test_files_are_restored_if_the_list_for_undoing_cannot_be_written(
    folder: TextFolder,
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
