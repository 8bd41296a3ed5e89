"""Which changes of a trial count as undone: an answer has to report all others.

A trial may write into a file, or delete it, and change its mind. Its changes are undone if the file
ends as it began: a new file is deleted again, or the text that was read at first is written back.
The changes that are not undone are the `present_changes`.
"""

from __future__ import annotations

import pytest

from controlplane.gates.trial import ChangingAction, SeenText
from tests.gates.changed_files import evidence_of, read, read_beginning, written


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param([written("new")], id="written text known"),
        pytest.param([], id="written text unknown"),
    ],
)
def test_a_new_file_that_was_deleted_again_counts_as_undone(
    texts: list[SeenText],
) -> None:
    """The file was new: the trial read no text in it before it wrote its own."""
    evidence = evidence_of(changes=["write", "delete"], texts=texts)

    assert [evidence.is_undone(change) for change in evidence.changes] == [True, True]
    assert evidence.present_changes == ()


@pytest.mark.parametrize(
    ("changes", "texts"),
    [
        pytest.param(
            ["write", "write"],
            [read("one\ntwo\n"), written("junk"), written("one\ntwo\n")],
            id="overwritten, and written back",
        ),
        pytest.param(
            ["delete", "write"],
            [read("one\ntwo\n"), written("one\ntwo")],
            id="deleted, and written back without the last line end",
        ),
        pytest.param(
            ["delete", "write"],
            [read("one\ntwo\n"), written("one\ntwo"), read_beginning("one\nt")],
            id="deleted, written back, and read in part afterwards",
        ),
    ],
)
def test_a_file_that_was_restored_counts_as_undone(
    changes: list[ChangingAction], texts: list[SeenText]
) -> None:
    evidence = evidence_of(changes=changes, texts=texts)

    assert [evidence.is_undone(change) for change in evidence.changes] == [True, True]
    assert evidence.present_changes == ()
