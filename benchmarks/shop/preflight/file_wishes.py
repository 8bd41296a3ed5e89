"""Decides by a request's words whether it permits that files are written or deleted.

The model gets the operations `write` and `delete` only for such a request: "export the list as
a csv", but not "is the csv up to date?" or "check the csv, but do not edit it".
"""

from __future__ import annotations

import re
from typing import Final

_CHANGE_VERB: Final = (
    r"(?:write|create|save|put|export|delete|remove|clean|clear|wipe|purge|append"
    r"|overwrite|rename|move|edit|update|add"
    r"|store(?!d)"  # not `stored`, which says where something is
    r")\w*"
)
"""`export`, `deleting`"""
_CHANGED_THING: Final = (
    r"(?:files?|folders?|director(?:y|ies)|csv|tsv|report|note|basket|cart"
    r"|\.\w{2,4}\b"  # the end of a file's name: `.txt`
    r"|/[\w.-]+/"  # a folder of a path: `/tmp/`
    r")"
)
"""`files`, `report`, `/tmp/`"""
_ORDERED_CHANGE: Final = re.compile(
    rf"\b{_CHANGE_VERB}\b"
    r"[^.!?\n]{0,80}?"  # other words of the same sentence
    r"(?:\b|(?=[/.]))"  # the start of a word, of a folder or of a file's ending
    rf"{_CHANGED_THING}",
    re.IGNORECASE,
)
"""An order to change a file, within one sentence: `Export the list as a csv`."""
_FORBIDDEN_CHANGE: Final = re.compile(
    r"\b(?:do not|don't|never|without|no)\s+"
    r"(?:(?:be|to|any|file|making|other|further)\s+)*"  # `without making any`, `no further`
    r"(?:chang|modif|edit|alter|writ|delet|touch|updat|remov)\w*",  # `changes`, `editing`
    re.IGNORECASE,
)
"""Words that forbid a change: `do not edit any file`, `without making changes`."""


def may_change_files(request: str, *, is_requested: bool) -> bool:
    """Return True if a request permits writing and deleting files.

    "Export the list as a csv" does, and "Check the csv, but do not edit it" does not. With
    `is_requested`, the request is already known to ask for a change, and only must not forbid it.
    """
    if not request.strip() or _FORBIDDEN_CHANGE.search(request):
        return False
    return is_requested or _ORDERED_CHANGE.search(request) is not None
