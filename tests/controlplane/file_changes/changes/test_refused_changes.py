"""A change that cannot be made as the user has seen it is refused, and no other is made.

`folder.prepared(one="new\\n")` is the change that the user sees as a diff, and `folder.make(changes)`
makes it later, when the user has consented. If the file was edited meanwhile: "one.txt: it was changed
meanwhile".
"""

import os

import pytest

from controlplane.file_changes import ChangeRefused
from tests.controlplane.file_changes.text_folder import TextFolder


def test_a_text_that_its_encoding_lacks_is_refused_before_anything_is_written(
    folder: TextFolder,
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
    folder: TextFolder,
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
