"""What a script can reach by plain attributes alone, from all that it is handed; prints what it must not.

A process of its own, because it prepares the library as the fork server does.
"""

from __future__ import annotations

import types
from typing import Any

from sandbox.interface.script_objects import EXCEPTIONS, Console, Scratchpad
from sandbox.library import attribute_guard, importable_modules, pinned_clock, replacements
from sandbox.library.attribute_guard import AttributeGuard, SealedType
from sandbox.library.built_in_types import STEP
from sandbox.library.script_builtins import ScriptNames
from sandbox.walls.attribute_names import is_plain

INTERNAL = (types.ModuleType, types.FrameType, types.CodeType, types.TracebackType, types.CellType)
SHARED = (list, dict, set, bytearray)
DEPTH = 5


def handed_out() -> dict[str, Any]:
    """Return all names of a script, facades by their module's name."""
    pinned_clock.install()
    attribute_guard.install()
    replacements.install()
    modules = importable_modules.build(replacements.table())
    STEP.guard = AttributeGuard({})
    names = ScriptNames(STEP.guard, modules)
    return names.mapping() | modules | EXCEPTIONS | {"scratchpad": Scratchpad(), "console": Console(lambda text: None)}


def faults(roots: dict[str, Any]) -> list[str]:
    """Return the paths that lead to internals of the interpreter, and to containers of modules that outlive a step."""
    found: list[str] = []
    seen: set[int] = set()
    kept: list[Any] = []
    waiting = [
        (name, value, 0, False) for name, value in roots.items() if " " not in name and not name.startswith("__")
    ]
    while waiting:
        path, value, depth, is_of_class = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        kept.append(value)
        if isinstance(value, INTERNAL):
            found.append(f"{path}: {type(value).__name__}")
        if type(value) in SHARED and not is_of_class:
            found.append(f"{path}: shared {type(value).__name__}")
        if value is type or (isinstance(value, type) and issubclass(value, type) and value is not SealedType):
            found.append(f"{path}: a class of classes")
        if depth < DEPTH and not isinstance(value, str | int | float):
            for name in dir(value):
                if is_plain(name) and name != "groupindex":  # A new dict with every reading.
                    try:
                        below = getattr(value, name)
                    except Exception:  # noqa: BLE001 - some attributes raise by design
                        continue
                    waiting.append((f"{path}.{name}", below, depth + 1, isinstance(value, type)))
    return found


if __name__ == "__main__":
    roots = handed_out()
    print("\n".join(sorted(faults(roots))))
