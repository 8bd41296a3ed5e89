"""A changed file is not run by another program, under other rights, or under a foreseen name.

For example:

    change of .git/config    ->    ChangeRefused "... hidden ...", since git could run a program
"""

import os
from pathlib import Path

import pytest

from controlplane.file_changes import ChangeRefused, FileChange
from tests.controlplane.file_changes.text_folder import TextFolder


def test_nobody_can_foresee_the_name_of_the_temporary_file(folder: TextFolder) -> None:
    """A link under the name of the temporary file would send the new text elsewhere."""
    folder.write(a="a")
    for name in (f".controlplane-{os.getpid()}-a.txt", ".part", "a.txt.part"):
        (folder.root / name).symlink_to("elsewhere")

    folder.change(a="b")

    assert folder.path("a").read_text() == "b"
    assert not (folder.root / "elsewhere").exists()


def test_a_hidden_file_cannot_be_changed(tmp_path: Path) -> None:
    """A change of `.git/config` could make git run a program."""
    with pytest.raises(ChangeRefused, match="hidden"):
        FileChange.of(tmp_path, "/.git/config", "x")


def test_a_changed_file_loses_its_set_user_id_bit(folder: TextFolder) -> None:
    """The bit lets whoever runs the file act as its owner; a new text must not get that
    right."""
    folder.write(a="a")
    folder.path("a").chmod(0o4755)

    folder.change(a="b")

    assert folder.texts() == {"a": "b"}
    mode = folder.path("a").stat().st_mode & 0o7777
    assert mode == 0o755
