"""Whether a document is in force at a moment.

A document may be in force from a day on, or until the end of a day. If it is not known in which
time zone the day counts, it is not known for some hours whether the document is in force.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Validity(StrEnum):
    """Whether a document is in force by the trial's clock."""

    UNDATED = ""
    """The document has no date."""
    BEGUN = "begun"
    """It is in force."""
    NOT_BEGUN = "not begun"
    ENDED = "ended"
    UNDECIDED = "begun or not: in which zone its day counts is not known"
    """It begins or ends about now, in a time zone that is not known."""

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

        # 1. It is certainly not in force.
        if self.begins is not None and now < self.begins.earliest:
            return Validity.NOT_BEGUN
        if self.ends is not None and now >= self.ends.latest:
            return Validity.ENDED

        # 2. In some time zones, it has begun or ended already.
        if self.begins is not None and now < self.begins.latest:
            return Validity.UNDECIDED
        if self.ends is not None and now >= self.ends.earliest:
            return Validity.UNDECIDED
        return Validity.BEGUN
