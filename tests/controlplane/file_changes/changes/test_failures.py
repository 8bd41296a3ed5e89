"""Files are changed all or not at all: if one cannot be written, those before it are restored.

    one.txt    "old"    ->  "new"
    bbbb...    no file  ->  "x"      ChangeRefused: the name, 300 times "b", is too long

Afterwards one.txt contains "old" again. `impossible_change` is the change of bbbb....
"""

import pytest

from controlplane.file_changes import ChangeRefused, StepList
from tests.controlplane.file_changes.text_folder import TextFolder, impossible_change


def test_a_failure_half_way_undoes_the_changes_before_it(folder: TextFolder) -> None:
    """The folder of old versions has a file as it was before its last change, here "oldest". The
    failure leaves that old version as it is."""
    folder.write(one="oldest\n")
    folder.change(one="old\n")
    changes = {**folder.prepared(one="new\n"), **impossible_change(folder.root)}

    with pytest.raises(
        ChangeRefused, match=r"bbb: it cannot be written: File name too long"
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

    The list for undoing is a file that says which files were changed. Here a folder that is not
    empty stands in the place of this file.
    """
    folder.write(one="old\n")
    path_of_undo_list = StepList("changed", folder.old_versions).path
    (path_of_undo_list / "a").mkdir(parents=True)

    with pytest.raises(ChangeRefused, match=r"it cannot be written"):
        folder.change(one="new\n")

    assert folder.texts() == {"one": "old\n"}
