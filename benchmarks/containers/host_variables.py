"""Variables of this machine in the variables of a task: `zone-${REGION:-eu}`.

A task may want a key or a region of the machine that it runs on. It gets only the variables
that the user allows, because others may be secret; without one, the default that the
task names is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import re2

VARIABLE: Final = re2.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
"""A variable of this machine in a value: `${API_KEY}`, or `${REGION:-eu}` with a default.

The groups are its name and its default.
"""


@dataclass(frozen=True, slots=True)
class FilledVariables:
    """A task's variables after filling in those of this machine."""

    values: dict[str, str]
    missing: list[str]
    """The names of this machine's variables that the task needs but may not have."""


def with_host_variables(
    values: Mapping[str, str], allowed: Mapping[str, str]
) -> FilledVariables:
    """Return a task's variables, in which variables of this machine are filled in.

    With `allowed={"REGION": "us"}`, the value `zone-${REGION:-eu}` becomes `zone-us`. If the
    user does not allow REGION, it becomes `zone-eu`, with the default that the task names.
    """
    missing: list[str] = []

    def fill_in(match: Any) -> str:
        """Return the value that takes the place of `${NAME}`."""
        name = str(match[1])
        default = match[2]
        if name in allowed:
            return allowed[name]
        if default is None:
            missing.append(name)
        return default or ""

    filled = {}
    for name, value in values.items():
        filled[name] = VARIABLE.sub(fill_in, value)
    return FilledVariables(filled, missing)
