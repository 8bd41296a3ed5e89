"""Which changes of a trial count as undone: an answer has to report all others.

A trial may write into a file, or delete it, and change its mind. Its changes are undone if the file
ends as it began: a new file is deleted again, or the text that was read at first is written back.
"""

from __future__ import annotations

import pytest

from controlplane.gates.trial.changes import ChangingAction
from controlplane.gates.trial.seen_text import SeenText
from tests.gates.changed_files import evidence_of, written


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param([written("new")], id="text recorded"),
        pytest.param([], id="text not recorded"),
    ],
)
def test_a_new_file_that_was_deleted_again_counts_as_undone(
    texts: list[SeenText],
) -> None:
    """The file was new: the trial read no text in it before it wrote its own."""
    evidence = evidence_of(["write", "delete"], texts)

    assert [evidence.is_undone(change) for change in evidence.changes] == [True, True]
    assert evidence.present_changes == ()


@pytest.mark.parametrize(
    ("actions", "texts"),
    [
        pytest.param(
            ["write", "write"],
            [SeenText("one\ntwo\n"), written("junk"), written("one\ntwo\n")],
            id="overwritten",
        ),
        pytest.param(
            ["delete", "write"],
            [SeenText("one\ntwo\n"), written("one\ntwo")],
            id="deleted, and written without the last line end",
        ),
        # What was read after the last change does not matter: here only its beginning.
        pytest.param(
            ["delete", "write"],
            [
                SeenText("one\ntwo\n"),
                written("one\ntwo"),
                SeenText("one\nt", is_cut=True),
            ],
            id="deleted, written and read in part",
        ),
    ],
)
def test_a_file_that_was_restored_counts_as_undone(
    actions: list[ChangingAction], texts: list[SeenText]
) -> None:
    evidence = evidence_of(actions, texts)

    assert [evidence.is_undone(change) for change in evidence.changes] == [True, True]
    assert evidence.present_changes == ()
