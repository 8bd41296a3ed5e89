"""The step that runs, for all that outlives it: its guard, names and console."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Final

from sandbox.library.attribute_guard import AttributeGuard


class CurrentStep:
    """The guard, names and console of the step that runs."""

    guard: AttributeGuard
    adopt: Callable[[Any], Any]
    check_base: Callable[[Any], None]
    """Refuses a base class that was not handed out to be one."""
    console: Any
    describe: Callable[[BaseException], str]
    """Says what an exception is, by lines of the script alone."""
    evaluate: Callable[[str], Any]
    """Evaluates an annotation that is written as text, as an expression of the script."""

    def is_running(self) -> bool:
        """Say whether there is a step that runs."""
        return bool(self.__dict__)

    def forget(self) -> tuple[bool, Callable[[], object]]:
        """Hold nothing of a step that is over; say whether it made an abstract class.

        The function returned with that tells whether something still holds on to what the step made: every function and
        class of a script leads to its guard.
        """
        guard: AttributeGuard | None = self.__dict__.get("guard")
        self.__dict__.clear()
        return (False, lambda: None) if guard is None else (guard.made_abstract, weakref.ref(guard))


STEP: Final = CurrentStep()
"""The step that runs; the modules that scripts import are built once and outlive steps."""
