"""Random filters of the tool `jq`, which selects parts of JSON, for the fuzzer: `.[] | keys`."""

from random import Random

from tests.fuzz.inputs.generators import word

JQ_FILTERS = [
    ".",
    ".[]",
    ".a",
    ".lines[0]",
    ".lines[]",
    "keys",
    "length",
    "select(.a==1)",
    '.["a"]',
    "|",
    ".[-1]",
    ".[99]",
]
"""Filters of the tool `jq`, which selects parts of JSON."""


def jq_filter(rng: Random) -> str:
    """Return a filter for `jq` of up to 6 parts, such as `.[] | keys`, often a wrong one."""
    separator = rng.choice(["", " | ", "|"])
    parts: list[str] = []
    for _ in range(rng.randrange(1, 7)):
        known_filter = rng.choice(JQ_FILTERS)
        parts.append(rng.choice([known_filter, word(rng)]))
    return separator.join(parts)
