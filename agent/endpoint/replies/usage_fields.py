"""Looks up numbers in the `usage` of a reply, where vendors give them under different names.

In `{"prompt_tokens_details": {"cached_tokens": 12}}`, the path
`prompt_tokens_details.cached_tokens` leads to 12.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.sandbox.interface import bounds


def first_count(document: Mapping[str, object], paths: tuple[str, ...]) -> float:
    """Return the first count above 0 at one of these paths; 0 if there is none.

    So a 0 under one name does not hide the count under another.
    """
    for path in paths:
        count = number_at(document, path)
        if count:
            return count
    return 0


def number_at(
    document: Mapping[str, object], path: str, unit: float = 1.0
) -> float | None:
    """Return the number at a path, multiplied by `unit`.

    `{"cost": {"total": "30"}}` has 30.0 at the path `cost.total`, and with the unit 0.01, such
    as a cent, 0.3. Returns None without a number, or if the product is not between 0 and
    `bounds.MOST_USAGE`.
    """
    value: object = document
    for name in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value) * unit
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number <= bounds.MOST_USAGE else None
