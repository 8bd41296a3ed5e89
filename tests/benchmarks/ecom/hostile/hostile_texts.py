"""Texts that are hard to read as records: nested too deeply, or with numbers of too many digits.

    DEEP          [[[[...]]]]
    HUGE_STOCK    {"inventory": [{"sku": "X", "on_hand": 999..., "reserved": -999...}]}

A script of a model may write any of them as the file of a record, and then run a tool on it.
"""

# Texts that are hard to read
DEEP = "[" * 100_000 + "]" * 100_000
"""A list in a list in a list ..."""

DEEP_OBJECT = '{"a":' * 900 + "1" + "}" * 900
"""An object in an object in an object ..."""

NINES = "9" * 4_300
"""A number with as many digits as Python reads. With more digits, it refuses."""

HUGE_STOCK = (
    f'{{"inventory": [{{"sku": "X", "on_hand": {NINES}, "reserved": -{NINES}}}]}}'
)
"""A branch that has a huge number of one product, and has reserved a huge negative number."""


def basket_with(field: str) -> str:
    """Return the text of a basket with one more field: `basket_with('"note": NaN')`."""
    lines = '"lines": [{"sku": "X", "quantity": 1}]'
    return f'{{"id": "hostile", "status": "active", {lines}, {field}}}'
