"""What a script may have meant by a name that `harness` does not have."""

from __future__ import annotations

import difflib
from typing import Final

OTHER_NAMES: Final = {
    "cite": "scratchpad.cite(path, reason, quote)",
    "uncite": "scratchpad.uncite(path)",
    "submit": "harness.answer(scratchpad, verify)",
    "finish": "harness.answer(scratchpad, verify)",
    "done": "harness.answer(scratchpad, verify)",
    "log": "print(...)",
    "print": "print(...)",
}
"""Names that scripts wrongly expect in `harness`, and what to write instead."""

_NAMES_IN_OTHER_TOOLS: Final = {
    "read": "open cat load get",
    "exec": "run call execute shell sql bash",
    "search": "grep query",
    "find": "glob locate",
    "list": "ls dir listdir",
    "delete": "rm remove unlink",
    "write": "save put create",
    "stat": "exists info",
}
"""Names by which other tools know an operation, such as `grep` for `search`."""


def _operation_for_synonym(name: str) -> str:
    """Return the operation that other tools call `name`; empty if there is none."""
    for operation, synonyms in _NAMES_IN_OTHER_TOOLS.items():
        if name in synonyms.split():
            return operation
    return ""


def suggested_member(title: str, names: list[str], missing_name: str) -> str:
    """Return the member that a script may have meant; empty if there is none."""
    operation = _operation_for_synonym(missing_name)
    if operation in names:
        return f"{title}.{operation}"
    similar_names = difflib.get_close_matches(missing_name, names, n=1)
    return f"{title}.{similar_names[0]}" if similar_names else ""
