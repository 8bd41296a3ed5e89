"""The part of the process layer inside the interpreter: a hook that refuses announced actions.

The interpreter announces actions that leave it by audit events (PEP 578). The hook sees neither
code in C nor system calls made by other means; the kernel layer refuses those.
"""

from __future__ import annotations

import sys
from typing import Any, Final

NEEDED_BY_SCRIPTS: Final = frozenset(
    {
        # Running code, making classes, evaluating annotations
        "compile",
        "exec",
        "function.__new__",
        "builtins.id",
        "object.__getattr__",
        "object.__setattr__",
        "sys._getframe",
        "sys._getframemodulename",
        # Reporting the error of a generator that nobody waits for
        "sys.unraisablehook",
    }
)
"""Events of ordinary scripts and of the library for them."""

NEEDED_BY_LIBRARY: Final = {
    "sqlite3": frozenset({"sqlite3.connect", "sqlite3.connect/handle"}),
    # It keeps the style of a cell in an array, which reaches only memory of its own.
    "openpyxl": frozenset({"array.__new__"}),
}
"""Events that a worker may raise if the library was imported before the isolation began."""


def refuse_actions(needed_events: frozenset[str]) -> None:
    """Refuse this process, for good, every announced action but these."""

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "import":
            # The library looks for modules that may be missing, and works without them.
            raise ImportError("a sandboxed process may not import " + str(arguments[0]))
        if event not in needed_events:
            raise PermissionError("a sandboxed process may not: " + event)

    sys.addaudithook(refuse)
