"""Gate 3: a cited path is spelled as the file was read, and the objection says how.

A script cites files with reasons: `refs_why = {"docs/Loans.md": "a loan runs 21 days"}`. This goes
back to the model with "cite `/docs/Loans.md`", so that the model can correct the path. The trial
has read `/docs/Loans.md` and `/logs/lent.tsv`.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.citations.citing_trial import objection_to_form


@pytest.mark.parametrize(
    ("path", "correction"),
    [
        ("docs/Loans.md", "cite `/docs/Loans.md`"),
        ("/docs//Loans.md", "cite `/docs/Loans.md`"),
        ("/docs/../docs/Loans.md", "cite `/docs/Loans.md`"),
        (" /docs/Loans.md", "cite `/docs/Loans.md`"),
        ("/docs/loans.md", "was read as `/docs/Loans.md`"),
        ("/LOGS/lent.tsv#row=7", "cite `/logs/lent.tsv#row=7`"),
        # Files that were not read
        (
            "nowhere/x.md#1",
            "not an absolute canonical path: read and cite `/nowhere/x.md#1`",
        ),
        ("/nowhere/x/", "a folder or a misspelt file: read and cite `/nowhere/x`"),
    ],
)
def test_a_path_in_another_form_is_rejected_with_the_right_one(
    path: str, correction: str
) -> None:
    objection = objection_to_form({path: "a loan runs 21 days"})

    assert correction in objection


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        pytest.param("/docs", "is a folder", id="folder"),
        pytest.param("/docs/", "is a folder", id="folder with a slash"),
        pytest.param("/", "is not a file", id="root"),
        pytest.param("", "is not a file", id="empty"),
        pytest.param("/\ud800.md", "lone surrogate", id="not encodable as UTF-8"),
    ],
)
def test_a_path_that_is_not_a_files_is_rejected(path: str, fault: str) -> None:
    """The message says what is wrong, since there is no right form."""
    objection = objection_to_form({path: "a loan runs 21 days"})

    assert fault in objection


def test_a_second_spelling_of_a_cited_file_is_rejected() -> None:
    """A file counts as one citation, so it may have only one spelling."""
    objection = objection_to_form(
        {"/docs/Loans.md": "21 days", "/docs/loans.md": "a loan runs 21 days"}
    )

    assert "cite `/docs/Loans.md`" in objection
