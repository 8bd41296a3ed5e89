"""The process wall's last part: what the interpreter itself refuses a child, by its audit events (PEP 578).

The interpreter announces what leaves it (opening, connecting, running, importing, foreign functions, frames of others)
to hooks that cannot be taken away again. Ours refuses every announcement that a step does not need. By itself such a
hook is no boundary: it sees neither code in C nor system calls made by other means. On systems without the kernel wall
it keeps Python code that got past the language wall from the machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

NEEDED: Final = frozenset(
    {
        "compile",
        "exec",
        "function.__new__",
        "builtins.id",
        "object.__getattr__",
        "object.__setattr__",
        "sys._getframe",
        "sys._getframemodulename",
        "sys.unraisablehook",
    }
)
"""What ordinary scripts and the library do: run code, make classes, evaluate annotations, and report the error of a
generator that nobody waits for."""


def refuse_the_rest(needed: frozenset[str]) -> None:
    """Let this process do nothing from now on that it announces, but for what is needed. Cannot be undone."""
    sys.addaudithook(_hook(needed))


def _hook(needed: frozenset[str]) -> Callable[[str, tuple[Any, ...]], None]:
    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "import":  # The library looks for modules that may be missing, and lives without them.
            raise ImportError("a sandboxed process may not import " + str(arguments[0]))
        if event not in needed:
            raise PermissionError("a sandboxed process may not: " + event)

    return refuse
