"""Whether a document is in force at a moment.

A document may be in force from a day on, or until one. In which time zone the day begins may
be unknown, and so may the answer for some hours.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Validity(StrEnum):
    """Whether a document is in force by the trial's clock."""

    UNDATED = ""
    BEGUN = "begun"
    NOT_BEGUN = "not begun"
    ENDED = "ended"
    UNDECIDED = "begun or not: in which zone its day counts is not known"

    @property
    def is_out_of_force(self) -> bool:
        """True if the document is certainly not in force."""
        return self in (Validity.NOT_BEGUN, Validity.ENDED)


@dataclass(frozen=True, slots=True)
class Moment:
    """The begin or the end of a period.

    If its time zone is known, `earliest` and `latest` are the same. Otherwise they are 26
    hours apart: a day begins in the east that much earlier than in the west.
    """

    earliest: datetime
    latest: datetime


@dataclass(frozen=True, slots=True)
class Period:
    """The period in which a document is in force. None means no begin, or no end."""

    begins: Moment | None = None
    ends: Moment | None = None

    def validity(self, now: datetime) -> Validity:
        """Return whether the document is in force at `now`, which must have a time zone."""
        if self.begins is None and self.ends is None:
            return Validity.UNDATED
        if self.begins is not None and now < self.begins.earliest:
            return Validity.NOT_BEGUN
        if self.ends is not None and now >= self.ends.latest:
            return Validity.ENDED
        if self.begins is not None and now < self.begins.latest:
            return Validity.UNDECIDED
        if self.ends is not None and now >= self.ends.earliest:
            return Validity.UNDECIDED
        return Validity.BEGUN
