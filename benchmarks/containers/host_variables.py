"""Variables of this machine in the variables of a task: `zone-${REGION:-eu}`.

A task may want a key or a region of the machine that it runs on. It gets only the variables
that the user allows, because others may be secret; without one, the default that the
task names is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import re2

VARIABLE: Final = re2.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
"""A variable of this machine in a value: `${API_KEY}`, or `${REGION:-eu}` with a default.

The groups are its name and its default.
"""


def with_host_variables(
    values: Mapping[str, str], allowed: Mapping[str, str]
) -> dict[str, str]:
    """Return a task's variables, in which variables of this machine are filled in.

    With `allowed={"REGION": "us"}`, the value `zone-${REGION:-eu}` becomes `zone-us`. If the
    user does not allow REGION, it becomes `zone-eu`, with the default that the task names.
    A variable that is neither allowed nor has a default is left out.
    """

    def value_of(match: Any) -> str:
        """Return the value that takes the place of `${NAME}`."""
        default = str(match[2] or "")
        return allowed.get(match[1], default)

    filled = {}
    for name, value in values.items():
        filled[name] = VARIABLE.sub(value_of, value)
    return filled


def missing_host_variables(
    values: Mapping[str, str], allowed: Mapping[str, str]
) -> list[str]:
    """Return the names of this machine's variables that a task needs but may not have.

    `["API_KEY"]` for the value `${API_KEY}`, unless it is allowed.
    """
    missing = []
    for value in values.values():
        for match in VARIABLE.finditer(value):
            name = match[1]
            has_default = match[2] is not None
            if name not in allowed and not has_default:
                missing.append(name)
    return missing
