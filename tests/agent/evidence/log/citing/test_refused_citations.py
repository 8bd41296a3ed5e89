"""A citation needs a file that was read, and a reason that says something.

A script cites a file by `cite(path, reason)`: `cite("/docs/Loans.md", "rules")` is refused with a
`ValueError`, since the reason is too short.
"""

import pytest

from tests.gates.recorded_calls import CallsOfTrial


def test_citing_an_unread_path_names_the_nearest_one_that_was_read() -> None:
    """The script has read `/docs/Loans.md` and another file, and cites `/docs/loan.md`."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md", "/shelves/north side/b-104.json")

    with pytest.raises(
        ValueError, match=r"`/docs/loan\.md` was not read .*`/docs/Loans\.md`"
    ):
        calls.cite("/docs/loan.md", "a reason that is long enough")


def test_citing_with_a_short_reason_is_refused() -> None:
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")

    with pytest.raises(ValueError, match="under 8 characters"):
        calls.cite("/docs/Loans.md", "rules")


def test_citing_a_folder_is_refused() -> None:
    """A folder says nothing that an answer could rest on. The listing shows that `/docs` is
    one."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    calls.list_folder("/docs", "/docs/Loans.md")

    with pytest.raises(ValueError, match="is a folder"):
        calls.cite("/docs/", "a reason that is long enough")
