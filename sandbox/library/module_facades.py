"""The modules that a script may import: sealed facades of listed names, so that no module leads to another."""

import difflib
import importlib
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any, Final

from sandbox.language.advice import ATTRIBUTES_INSTEAD, MODULES_INSTEAD
from sandbox.library.import_list import LISTED


class Live:
    """A name of a module whose value belongs to the step; one with `write` a script may set."""

    __slots__ = ("read", "write")

    def __init__(self, read: Callable[[], Any], write: Callable[[Any], None] | None = None) -> None:
        self.read = read
        self.write = write


class Facade:
    """A module as a script sees it: its listed names and nothing else. Only live ones with `write` can be set."""

    __slots__ = ("_Facade__names", "_Facade__title")

    def __init__(self, title: str, names: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_Facade__title", title)
        object.__setattr__(self, "_Facade__names", dict(names))

    def __getattr__(self, name: str) -> Any:
        names: dict[str, Any] = object.__getattribute__(self, "_Facade__names")
        if name in names:
            found = names[name]
            return found.read() if type(found) is Live else found
        title = object.__getattribute__(self, "_Facade__title")
        msg = f"module {title!r} has no attribute {name!r} here{_hint(name, names)}"
        raise AttributeError(msg)

    def __setattr__(self, name: str, value: object) -> None:
        if not is_live(self, name):
            msg = f"module {object.__getattribute__(self, '_Facade__title')!r} is sealed"
            raise AttributeError(msg)
        object.__getattribute__(self, "_Facade__names")[name].write(value)

    def __delattr__(self, name: str) -> None:
        msg = f"module {object.__getattribute__(self, '_Facade__title')!r} is sealed"
        raise AttributeError(msg)

    def __dir__(self) -> list[str]:
        return sorted(object.__getattribute__(self, "_Facade__names"))

    def __repr__(self) -> str:
        return f"<module {object.__getattribute__(self, '_Facade__title')!r}>"

    def __init_subclass__(cls) -> None:
        msg = "a module cannot be subclassed"
        raise TypeError(msg)

    def __reduce__(self) -> str:
        msg = "a module cannot be copied"
        raise TypeError(msg)


Facade.__name__ = Facade.__qualname__ = "module"
Facade.__module__ = "builtins"


def is_live(module: Facade, name: str) -> bool:
    """Say whether a script may set this name of a module."""
    found = object.__getattribute__(module, "_Facade__names").get(name)
    return type(found) is Live and found.write is not None


def names_of(module: str) -> frozenset[str] | None:
    """Return the names that a script may import from `module`, or None if it may not import it."""
    listed = LISTED.get(module)
    if listed is None:
        return None
    if listed == "*":
        return frozenset(name for name in vars(importlib.import_module(module)) if not name.startswith("_"))
    return frozenset(listed.split())


def import_refusal(module: str, name: str | None) -> str:
    """Return why a script cannot import `module`, or `name` from it, with what to use instead; empty if it can."""
    names = names_of(module)
    if names is None:
        instead = MODULES_INSTEAD.get(module) or MODULES_INSTEAD.get(module.split(".")[0])
        return f"module {module!r} cannot be imported; {instead or 'there are ' + ', '.join(offered())}"
    if name is not None and name not in names and f"{module}.{name}" not in LISTED:
        return f"{name!r} cannot be imported from {module!r}{_hint(name, names)}"
    return ""


_HOMES: Final = ("collections", "dataclasses", "datetime", "decimal", "enum", "fractions", "functools", "typing")
"""Modules whose names seldom mean anything else in a script."""


def import_hint(name: str) -> str:
    """Return how a script imports a name that it uses without having it; empty if it may mean something else."""
    ways = [f"`import {name}`"] if name in LISTED else []
    ways += [f"`from {home} import {name}`" for home in _HOMES if name in LISTED[home].split()][:1]
    return f"imports end with their step; write {' or '.join(ways)} here" if ways else ""


def offered() -> list[str]:
    """Return the importable modules, sorted."""
    return sorted(name for name in LISTED if not name.startswith("_"))


def _hint(name: str, names: Iterable[str]) -> str:
    """Return what to write instead of a name that a module does not have here."""
    if name in ATTRIBUTES_INSTEAD:
        return f"; {ATTRIBUTES_INSTEAD[name]}"
    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _titled(value: Any, name: str) -> Any:
    """Return a replacement; a function gets the name by which the script calls it, for messages."""
    if type(value) is FunctionType:
        value.__name__ = value.__qualname__ = name
    return value


Modules = dict[str, Facade]
"""All facades by module name."""


def build(replaced: Mapping[str, Mapping[str, Any]]) -> Modules:
    """Return all facades by module name; `replaced` gives, by module, what stands in place of the real names."""
    made: Modules = {}
    for title in sorted(LISTED, key=lambda each: -each.count(".")):
        swaps = replaced.get(title, {})
        listed = sorted(names_of(title) or ())
        module = importlib.import_module(title) if set(listed) - set(swaps) else None
        names: dict[str, Any] = {}
        for name in listed:
            below = made.get(f"{title}.{name}")
            if name in swaps:
                names[name] = _titled(swaps[name], name)
            elif below is not None:
                names[name] = below
            elif hasattr(module, name):
                names[name] = getattr(module, name)
        made[title] = Facade(title, names)
    return made
