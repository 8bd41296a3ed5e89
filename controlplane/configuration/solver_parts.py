"""Reads which parts of a solver are switched on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.errors import UsageError
from controlplane.near_names import did_you_mean

_SIGNS: Final = {"+": True, "-": False}


def chosen_parts(text: str, declared: Mapping[str, bool], solver: str) -> frozenset[str]:
    """Return the names of the parts that are on: the solver's own choice with the changes of a text as `-a,+b`.

    Raises `UsageError` for an unknown part, and for one without a sign.
    """
    parts = dict(declared)
    for each in (word.strip() for word in text.split(",")):
        if not each:
            continue
        sign, name = each[0], each[1:].strip()
        if sign not in _SIGNS:
            msg = f"--parts {each!r}: a part is switched off as -{each} and on as +{each}"
            raise UsageError(msg)
        if name not in declared:
            hint = did_you_mean(name, declared) if declared else "; it has none"
            msg = f"--parts {each!r}: the solver {solver!r} has no part {name!r}{hint}"
            raise UsageError(msg)
        parts[name] = _SIGNS[sign]
    return frozenset(name for name, is_on in parts.items() if is_on)
