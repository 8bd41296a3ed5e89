"""What an error came from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

Cause = TypeVar("Cause", bound=BaseException)


def causes_of(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what it came from, the first cause last."""
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__ or found.__context__


def cause_of(error: BaseException, *kinds: type[Cause]) -> Cause | None:
    """Return the first of an error and its causes that is of one of these kinds; None if there is none."""
    return next((each for each in causes_of(error) if isinstance(each, kinds)), None)
