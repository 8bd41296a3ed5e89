"""The audit hook: makes the interpreter refuse to open files, connect, start processes and so on.

Python's library raises an audit event before each such action (PEP 578),
for example `open` or `socket.connect`. If the hook raises an exception, the action
does not happen. The hook does not see actions of C code that raises no event.
The kernel layer refuses those.
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
"""Events that ordinary scripts raise, directly or by the library."""

NEEDED_BY_LIBRARY: Final = {
    "sqlite3": frozenset({"sqlite3.connect", "sqlite3.connect/handle"}),
    # openpyxl creates an `array` for the style of each cell, which is harmless.
    "openpyxl": frozenset({"array.__new__"}),
}
"""By the name of a library: the further events that
a worker may raise if it has imported that library."""


def refuse_actions(needed_events: frozenset[str]) -> None:
    """Make this process refuse every action except those with these events. It can't be undone."""

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "import":
            # An `ImportError`, because the library tries to import modules that may be
            # missing, and works without them.
            raise ImportError("a sandboxed process may not import " + str(arguments[0]))
        if event not in needed_events:
            raise PermissionError("a sandboxed process may not: " + event)

    sys.addaudithook(refuse)
