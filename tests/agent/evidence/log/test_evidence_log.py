"""By which spelling the evidence log cites a path, and which citations it refuses.

Models spell paths freely: `/DOCS/loans.md` for `/docs/Loans.md`. The log learns the right spelling
from listings. The script's function `cite` then cites the file by it, and a note tells the model.
"""

from __future__ import annotations

import pytest

from tests.gates.recorded_calls import CallsOfTrial


def cited_path(calls: CallsOfTrial, path: str) -> str:
    """Return the path by which `cite` cites a file, with some reason."""
    return calls.cite(path, "a reason that is long enough").spelling


class TestOtherCases:
    """A path in another case than in the listing is cited as it is listed.

    The listing of `/docs` has `/docs/Loans.md`, and the script reads `/DOCS/loans.md`.
    """

    def test_a_path_in_another_case_than_listed_is_cited_as_listed(self) -> None:
        calls = CallsOfTrial()
        calls.list_folder("/docs", "/docs/Loans.md")
        calls.read("/DOCS/loans.md")

        assert cited_path(calls, "/DOCS/loans.md") == "/docs/Loans.md"
        assert cited_path(calls, "/docs/Loans.md") == "/docs/Loans.md"

    def test_a_part_of_a_file_is_cited_by_the_listed_path_of_the_file(self) -> None:
        """`#2` stands for part 2 of the file."""
        calls = CallsOfTrial()
        calls.list_folder("/docs", "/docs/Loans.md")
        calls.read("/DOCS/loans.md")

        assert cited_path(calls, "/DOCS/loans.md#2") == "/docs/Loans.md#2"

    def test_a_path_in_another_case_than_listed_is_noted(self) -> None:
        """The note tells the model the right spelling."""
        calls = CallsOfTrial()
        calls.list_folder("/docs", "/docs/Loans.md")

        (note,) = calls.read("/DOCS/loans.md")

        assert "/docs/Loans.md" in note

    def test_a_path_is_cited_as_listed_even_if_it_is_listed_later(self) -> None:
        """When the script reads the file, the right spelling is not known yet, so there is no
        note."""
        calls = CallsOfTrial()

        notes = calls.read("/DOCS/loans.md")
        calls.list_folder("/docs", "/docs/Loans.md")

        assert notes == ()
        assert cited_path(calls, "/DOCS/loans.md") == "/docs/Loans.md"
        assert cited_path(calls, "/DOCS/loans.md#2") == "/docs/Loans.md#2"


NOTE_ON_SHORT_PATH = (
    "`/shelves/b-104.json` is `/shelves/north side/b-104.json`: cite it by that path."
)


class TestShortPaths:
    """A path that lacks a folder is cited by the only listed path with its name.

    The book is at `/shelves/north side/b-104.json`, and the model reads `/shelves/b-104.json`. Some
    environments find the file nevertheless.
    """

    def test_a_short_path_is_noted_when_it_is_read_after_the_listings(self) -> None:
        """`/shelves` has no `b-104.json`. The only listed file of this name is in `north side`."""
        calls = CallsOfTrial()
        calls.list_folder("/shelves", folders=("/shelves/north side",))
        calls.list_folder("/shelves/north side", "/shelves/north side/b-104.json")

        notes = calls.read("/shelves/b-104.json")

        assert notes == (NOTE_ON_SHORT_PATH,)
        cited = cited_path(calls, "/shelves/b-104.json")
        assert cited == "/shelves/north side/b-104.json"

    def test_a_short_path_is_noted_when_the_listings_come_later(self) -> None:
        """The note comes with the listing that shows the book."""
        calls = CallsOfTrial()
        assert calls.read("/shelves/b-104.json") == ()
        calls.list_folder("/shelves", folders=("/shelves/north side",))

        notes = calls.list_folder(
            "/shelves/north side", "/shelves/north side/b-104.json"
        )

        assert notes == (NOTE_ON_SHORT_PATH,)
        cited = cited_path(calls, "/shelves/b-104.json")
        assert cited == "/shelves/north side/b-104.json"

    def test_a_program_that_changes_something_does_not_affect_a_short_path(
        self,
    ) -> None:
        """`/bin/ship` may have moved the file. But until a call shows another path, the log cites
        the file by the listed one."""
        calls = CallsOfTrial()
        calls.list_folder("/shelves", folders=("/shelves/north side",))
        calls.list_folder("/shelves/north side", "/shelves/north side/b-104.json")
        calls.read("/shelves/b-104.json")

        calls.run("/bin/ship", "b-104")

        cited = cited_path(calls, "/shelves/b-104.json")
        assert cited == "/shelves/north side/b-104.json"


class TestRefusedCitations:
    """A citation needs a file that was read, and a reason that says something."""

    def test_citing_an_unread_path_names_the_nearest_one_that_was_read(self) -> None:
        """The script has read `/docs/Loans.md` and another file, and cites `/docs/loan.md`."""
        calls = CallsOfTrial()
        calls.read("/docs/Loans.md", "/shelves/north side/b-104.json")

        with pytest.raises(
            ValueError, match=r"`/docs/loan\.md` was not read .*`/docs/Loans\.md`"
        ):
            calls.cite("/docs/loan.md", "a reason that is long enough")

    def test_citing_with_a_short_reason_is_refused(self) -> None:
        """The reason "rules" is shorter than 8 characters."""
        calls = CallsOfTrial()
        calls.read("/docs/Loans.md")

        with pytest.raises(ValueError, match="under 8 characters"):
            calls.cite("/docs/Loans.md", "rules")

    def test_citing_a_folder_is_refused(self) -> None:
        """A folder says nothing that an answer could rest on. The listing shows that `/docs` is
        one."""
        calls = CallsOfTrial()
        calls.read("/docs/Loans.md")
        calls.list_folder("/docs", "/docs/Loans.md")

        with pytest.raises(ValueError, match="is a folder"):
            calls.cite("/docs/", "a reason that is long enough")
