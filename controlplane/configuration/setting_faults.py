"""The faults of settings, and of other values that are read by pydantic, in words.

For `modle = "x"` in a profile of controlplane.toml, pydantic says "Extra inputs are not
permitted". The user reads `there is no such key; did you mean 'model'?`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, get_args

from pydantic import ValidationError

from controlplane.agent.model import Prices
from controlplane.configuration.model_settings import Profile
from controlplane.configuration.run_settings import Role
from controlplane.errors import did_you_mean

KEYS: Final = (
    "run",
    "profiles",
    "roles",
    "mcp",
    *Profile.model_fields,
    *Prices.model_fields,
    *get_args(Role),
)
"""All names that controlplane.toml may give a table or a key, at any level.

They are what a misspelt key is compared with.
"""
MAX_KEYS_SHOWN: Final = 12


def first_fault(
    error: ValidationError, names: Iterable[str] = KEYS
) -> tuple[list[str], str]:
    """Return the keys that lead to the first fault, and the fault in words.

    For example, `(["prices", "input"], "it is required")`. `names` are the known keys,
    among which the nearest one to an unknown key is suggested.

    An unknown key comes first: it may be a required one, misspelt. Messages of our own
    validators and about missing keys omit the value, which may be secret.
    """
    faults = error.errors()
    fault = faults[0]
    for candidate in faults:
        if candidate["type"] == "extra_forbidden":  # An unknown key.
            fault = candidate
            break

    # If a mapping's key itself is wrong, pydantic ends its location with the part `[key]`.
    is_wrong_key = "[key]" in fault["loc"]
    keys = [str(part) for part in fault["loc"] if part != "[key]"]
    if is_wrong_key or fault["type"] == "extra_forbidden":
        return (
            keys,
            f"there is no such key{did_you_mean(keys[-1], names, most=MAX_KEYS_SHOWN)}",
        )
    if fault["type"] == "value_error":
        return keys, str(fault["ctx"]["error"])
    if fault["type"] == "missing":
        return keys, "it is required"
    return keys, f"{fault['msg'].removesuffix('.')}, not {fault['input']!r}"
