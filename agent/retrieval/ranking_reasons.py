"""The reasons why the first message shows a file or leaves it out, and their points.

A file is a document (a text for all requests, such as a policy) or a record (about one case).
For "Close loan-12", the record `/records/loans/loan-12.json` has the reason `named`. A *notice*
is a document that changes other documents from a day on.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Reason(StrEnum):
    """A reason why a file is shown or left out, as the journal states it."""

    NAMED = "named"
    """The request names the file by its path or id."""
    ASKER = "asker"
    """The file is a record of the user who asks."""
    NOTICE = "notice"
    """The file is a notice, and it is in force."""
    ROUTED = "routed"
    """The workspace's rules send requests about a subject to this document.

    Example: the rule `Keys and locks: see /docs/keys.md`,
    for a request about a lost key.
    """
    FOLDER = "folder"
    """The text of the document names the folder with the request's records.

    Example: "Each loan has a file in /records/loans", for a request about a loan.
    """
    LINKED = "linked"
    """A record that the request names, or a notice about its subject, names the file."""
    WORDS = "words"
    """The file contains words of the request."""
    LISTED = "listed"
    """No document fits the request by its words. So all that the rules describe are candidates,
    or all documents if the rules describe none."""

    WITHHELD = "withheld"
    """The record belongs to another user than the one who asks, so it must not be shown."""
    NOT_IN_FORCE = "not in force"
    """The document is not yet in force, or no longer. It must not be shown."""


POINTS: Final = {
    Reason.NAMED: 8.0,
    Reason.ASKER: 3.0,
    Reason.NOTICE: 2.0,
    Reason.LINKED: 1.5,
    # Few points, because the document may only mention the folder, and the rules may name
    # a wrong document.
    Reason.FOLDER: 0.5,
    Reason.ROUTED: 0.3,
    Reason.LISTED: 0.1,
    Reason.WORDS: 0.0,  # Only the word score counts.
}
"""The score of a file is the sum of the points of its reasons, and of its word score.

The word score is at most 1, so a reason with more points outweighs all words.
"""
OFF_TOPIC_POINTS: Final = -0.8
"""A notice that only changes documents about other subjects gets these points, too. For a request
about parking, this may be a notice that changes `/docs/loans.md`."""

STRONG_REASONS: Final = frozenset(
    {Reason.NAMED, Reason.ASKER, Reason.NOTICE, Reason.LINKED}
)
"""With one of these reasons, a file is wanted even if no words of the request are in it."""
