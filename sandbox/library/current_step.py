"""The step that runs, for what the modules that outlive it need of it: its guard, the data of time zones."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, BinaryIO, Final, Protocol


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

    def forget(self) -> Callable[[], object]:
        """Hold nothing of a step that is over.

        The function returned gives None once nothing else holds on to what the step made: every function of a script
        leads to its guard.
        """
        guard: Guard | None = self.__dict__.get("guard")
        self.__dict__.clear()
        return (lambda: None) if guard is None else weakref.ref(guard)


STEP: Final = CurrentStep()
"""The step that runs; the modules that scripts import are built once and outlive steps."""
