"""Reads one entry of a submission's `changes`: `"/orders/7.json"`, or `{"tool": "restart"}`."""

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
    """The file, tool or operation, as the script spells it; empty if the entry names nothing."""
    action: str = ""
    """One of `ACTIONS`; empty if the entry names none."""


def declared_change(entry: Plain) -> DeclaredChange:
    """Read an entry: the name itself, or an object such as `{"path": "/a.md", "action": "write"}`."""
    if not isinstance(entry, dict):
        return DeclaredChange(_plain_name(entry))
    action = entry.get("action")
    known_action = action if isinstance(action, str) and action in ACTIONS else ""
    for key in ENTRY_KEYS:
        if entry.get(key):
            return DeclaredChange(_plain_name(entry[key]), known_action)
    return DeclaredChange("")


def _plain_name(name: Plain) -> str:
    """Return a name without the syntax of a call: `harness.mail.send()` -> `mail.send`.

    Return an empty string for anything that is not a text.
    """
    if not isinstance(name, str):
        return ""
    return name.strip().removeprefix("harness.").removesuffix("()")
