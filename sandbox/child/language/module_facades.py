"""Modules and `harness` as a script sees them: sealed objects with their listed names alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, NamedTuple


class Live(NamedTuple):
    """A name in a facade whose value belongs to the step, such as `sys.stdout`.

    Modules are made once for all steps, so the value is read anew every time.
    """

    read: Callable[[], Any]
    """Returns the value."""
    write: Callable[[Any], None] | None = None
    """Sets the value; None if a script may not set it."""


class Facade(ModuleType):
    """A module, or `harness`, as a script sees it. Scripts neither make nor change one.

    The function `facade` makes one. It sets the members as attributes, and three fields:

    - `_title`: what `repr` shows
    - `_live`: the members that are `Live`, by name
    - `_message_for_missing`: returns the error's message for a name that does not exist

    A script cannot read the fields, because their names begin with an underscore. The
    methods read them from `vars(self)`: if a field were missing, `self._live` would
    call `__getattr__`, and so itself without end.
    """

    def __getattr__(self, name: str) -> Any:
        live = vars(self)["_live"].get(name)
        if live is not None:
            return live.read()
        message_for_missing = vars(self)["_message_for_missing"]
        raise AttributeError(message_for_missing(name))

    def __setattr__(self, name: str, value: object) -> None:
        live = vars(self)["_live"].get(name)
        if live is None or live.write is None:
            raise self._sealed()
        live.write(value)

    def __delattr__(self, name: str) -> None:
        raise self._sealed()

    def _sealed(self) -> AttributeError:
        return AttributeError(f"{self!r} is sealed")

    def __dir__(self) -> list[str]:
        names = [*vars(self), *vars(self)["_live"]]
        return sorted(name for name in names if name[:1] != "_")

    def __repr__(self) -> str:
        return f"<{vars(self)['_title']}>"


# A script that prints a module's type sees what it would see of any module.
Facade.__name__ = "module"
Facade.__qualname__ = "module"
Facade.__module__ = "builtins"


def facade(
    title: str, members: Mapping[str, Any], message_for_missing: Callable[[str], str]
) -> Facade:
    """Return a new facade with these members, some of which may be `Live`.

    `message_for_missing` returns the error's message for a name that the facade lacks.
    """
    module = Facade(title)
    # `vars` sets attributes past `__setattr__`, which would refuse it.
    attributes = vars(module)
    attributes.clear()

    live_members = {}
    for name, value in members.items():
        if type(value) is Live:
            live_members[name] = value
        else:
            attributes[name] = value

    attributes["_title"] = title
    attributes["_live"] = live_members
    attributes["_message_for_missing"] = message_for_missing
    return module
