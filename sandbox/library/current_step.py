"""The step that runs, for what the modules that outlive it need of it: its guard, the data of time zones."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, BinaryIO, Final, Protocol

_FIRST_NUMBER: Final = 0x5AB1E_0000_0040
"""Has as many digits as most addresses."""


class Guard(Protocol):
    """What replaced functions ask of the step's attribute guard."""

    def read(self, target: Any, name: str) -> Any:
        """Return an attribute, or raise `AttributeError` if the guard refuses it."""
        ...

    def wrote(self, function: Any) -> bool:
        """Say whether the script wrote this function."""
        ...


class CurrentStep:
    """What belongs to the step that runs."""

    guard: Guard
    describe: Callable[[BaseException], str]
    """Returns what an exception is, by lines of the script alone."""
    zone_data: Callable[[str], BinaryIO]
    """Returns the data of a time zone. Raises `ZoneInfoNotFoundError`."""

    numbered: dict[int, tuple[int, object]]

    def number_of(self, target: object) -> int:
        """Return a number that stands for the object during the step: counted, so that a replay gives the same.

        The object stays alive until the end of the step, so that no other one gets its number.
        """
        known = self.numbered.get(id(target))
        if known is None:
            known = self.numbered[id(target)] = (_FIRST_NUMBER + 0x40 * len(self.numbered), target)
        return known[0]

    def forget(self) -> Callable[[], object]:
        """Hold nothing of a step that is over.

        The function returned gives None once nothing else holds on to what the step made: every function of a script
        leads to its guard.
        """
        guard: Guard | None = self.__dict__.get("guard")
        self.__dict__.clear()
        self.numbered = {}
        return (lambda: None) if guard is None else weakref.ref(guard)


STEP: Final = CurrentStep()
STEP.numbered = {}
"""The step that runs; the modules that scripts import are built once and outlive steps."""
