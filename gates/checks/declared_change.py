"""Reads one entry of a submission's `changes`, in which a script says what it changed.

"/orders/7.json"                            a changed file
{"path": "/a.md", "action": "delete"}       with what was done to it
{"tool": "harness.mail.send()"}             the call of a tool or operation: `mail.send`
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.gates.plain_data import Plain

ACTIONS: Final = ("write", "delete", "execute")
ENTRY_KEYS: Final = ("path", "tool", "operation", "name")
"""The keys under which an entry may name its change: `{"path": "/a.md"}`.

If an entry has several, the first one in this order counts.
"""


@dataclass(frozen=True, slots=True)
class DeclaredChange:
    """What an entry of `changes` says about one change."""

    name: str
    """The file, tool or operation as the script spells it, such as `/a.md`; empty if none is named."""
    action: str = ""
    """One of `ACTIONS`; empty if the entry names none."""


def declared_change(entry: Plain) -> DeclaredChange:
    """Read an entry: the name itself, or an object such as `{"path": "/a.md", "action": "write"}`.

    Never raises: an entry of another form has an empty name.
    """
    if not isinstance(entry, dict):
        return DeclaredChange(_plain_name(entry))
    action = entry.get("action")
    if not isinstance(action, str) or action not in ACTIONS:
        action = ""
    for key in ENTRY_KEYS:
        if entry.get(key):
            return DeclaredChange(_plain_name(entry[key]), action)
    return DeclaredChange("")


def _plain_name(name: Plain) -> str:
    """Return a name without the syntax of a call: `harness.mail.send()` -> `mail.send`.

    Return an empty string for anything that is not a text.
    """
    if not isinstance(name, str):
        return ""
    return name.strip().removeprefix("harness.").removesuffix("()")
