"""Which changes of a trial count as undone: an answer has to report all others.

A trial may write into a file, or delete it, and change its mind. Its changes of the file are undone if
the file ends as it began:

    actions          texts, in order                         undone
    write, delete    wrote "new"                             yes: the file was new, and is gone
    write, write     read "one", wrote "two", wrote "one"    yes: it has the text that was read first
    write            read "one", wrote "two"                 no
"""

from __future__ import annotations

import pytest

from controlplane.gates.evidence import Evidence
from controlplane.gates.trial.accesses import Access
from controlplane.gates.trial.changes import Change, ChangingAction
from controlplane.gates.trial.seen_text import SeenText
from controlplane.gates.trial.text_kind import TextKind


def read(text: str) -> SeenText:
    """Return the text of a file as the trial read it there."""
    return SeenText(text)


def read_in_part(beginning: str) -> SeenText:
    """Return the beginning of a long text, which the trial read without its end."""
    return SeenText(beginning, is_cut=True)


def written(text: str) -> SeenText:
    """Return a text that the trial itself wrote into the file. It is no proof of a fact."""
    return SeenText(text, TextKind.OWN)


def assert_undone(actions: list[ChangingAction], texts: list[SeenText]) -> None:
    """Assert that the changes of a file count as undone, so that an answer need not report them.

    `actions` are all changes of the file in order, and `texts` all that the trial read or wrote
    there: `["write", "write"]` and `[read("one"), written("junk"), written("one")]`.
    """
    path = "/shelves/b-104.json"
    changes = tuple(Change(path, action) for action in actions)
    access = Access(path, actions=frozenset({"read"}), seen=tuple(texts))

    evidence = Evidence(has_trace=True, accesses={path: access}, changes=changes)

    for change in evidence.changes:
        assert evidence.is_undone(change)
    assert evidence.present_changes == ()


class TestUndoneChanges:
    """A change that the trial undid need not be reported in its answer.

    `assert_undone(["write", "write"], [read("one"), written("junk"), written("one")])`: the trial
    has read "one", then written "junk" into the file, and then "one" again.
    """

    @pytest.mark.parametrize(
        "texts",
        [
            pytest.param([written("new")], id="text recorded"),
            pytest.param([], id="text not recorded"),
        ],
    )
    def test_a_new_file_that_was_deleted_again_counts_as_undone(
        self, texts: list[SeenText]
    ) -> None:
        """The file was new: the trial read no text in it before it wrote its own."""
        assert_undone(["write", "delete"], texts)

    def test_a_file_that_was_deleted_and_written_again_counts_as_undone(self) -> None:
        """The trial wrote what it had read, but for the line end at the end of the text."""
        assert_undone(["delete", "write"], [read("one\ntwo\n"), written("one\ntwo")])

    def test_what_was_read_after_the_last_change_does_not_matter(self) -> None:
        """The trial restored the text, and then read only its beginning."""
        assert_undone(
            ["delete", "write"],
            [read("one\ntwo\n"), written("one\ntwo"), read_in_part("one\nt")],
        )

    def test_a_file_that_was_overwritten_and_restored_counts_as_undone(self) -> None:
        assert_undone(
            ["write", "write"],
            [read("one\ntwo\n"), written("junk"), written("one\ntwo\n")],
        )
