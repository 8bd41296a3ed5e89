"""The fields of an action, and the names for them that are accepted.

An action is the object `{state, plan, done, code}` that the script solver asks models for.
Only the code is run. The other fields are remarks, which are recorded. Models also write other
names, such as `script` for `code`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# The accepted names of each field. The prompt asks for the first one.
STATE_NAMES: Final = ("state", "current_state")
PLAN_NAMES: Final = ("plan", "plan_remaining_steps_brief")
DONE_NAMES: Final = ("done", "task_completed")
CODE_NAMES: Final = ("code", "python_code", "script", "python")

REMARK_NAMES: Final = frozenset({*STATE_NAMES, *PLAN_NAMES, *DONE_NAMES})
"""The names of the remarks: of all fields except the code."""


def has_code_field(fields: Mapping[str, object]) -> bool:
    """Return True if an object is meant as an action: it has a field for code, maybe an empty one.

    | object | has code |
    |---|---|
    | `{"code": ""}` | True |
    | `{"script": "1", "state": ""}` | True |
    | `{"script": "1"}` | False: without a remark, it may be anything |
    """
    if "code" in fields:
        return True
    return has_remark(fields) and any(name in fields for name in CODE_NAMES)


def has_code_to_run(fields: Mapping[str, object]) -> bool:
    """Return True if an object can be the action that is run: the first such object of a reply is.

    `{"code": "1"}` has code to run, and `{"code": ""}` has none. If an object has several names for
    the code, the first one of `CODE_NAMES` counts, as it is the one that is run.
    """
    if not has_code_field(fields):
        return False
    for name in CODE_NAMES:
        if name in fields:
            return fields[name] not in ("", None)
    return False


def has_remark(fields: Mapping[str, object]) -> bool:
    """Return True if an object has a `state`, a `plan` or a `done`."""
    return not REMARK_NAMES.isdisjoint(fields)


def is_clear_action(fields: Mapping[str, object]) -> bool:
    """Return True if the arguments of a tool can only be an action: code, a remark, nothing else.

    | object | is clear |
    |---|---|
    | `{"state": "", "code": "1"}` | True |
    | `{"code": "1"}` | False: it has no remark |
    | `{"state": "", "code": "1", "path": "/a"}` | False: no action has a `path` |
    """
    names = set(fields)
    has_code_name = not names.isdisjoint(CODE_NAMES)
    has_other_name = not names.issubset({*CODE_NAMES, *REMARK_NAMES})
    return has_code_name and has_remark(fields) and not has_other_name
