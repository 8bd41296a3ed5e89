"""Options whose values are pairs, and which may be repeated: `--set seed=7 --set level=hard`.

A command gets the values of such an option as one mapping: `{"seed": "7", "level": "hard"}`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import click

from controlplane.errors import UsageError

PAIR_FORMS: Final = {"set": "KEY=VALUE", "role": "ROLE=PROFILE"}
"""Settings that are mappings of words, and how help shows one pair of each."""


def parse_pairs(
    ctx: click.Context, option: click.Parameter, pairs: Iterable[str]
) -> dict[str, str]:
    """Return the pairs of an option as a mapping: `("a=1", "b=2")` -> `{"a": "1", "b": "2"}`.

    click calls it for each use of the option. Raises `UsageError` for a value that is not a pair.
    """
    del ctx
    mapping = {}
    for text in pairs:
        key, equals, value = text.partition("=")
        if not equals or not key:
            msg = f"{option.opts[0]} takes {option.metavar}, not {text!r}"
            raise UsageError(msg)
        mapping[key] = value
    return mapping


# Both are named --set: of a command whose benchmark the user names, and of one about files.

BENCHMARK_OPTIONS: Final = click.option(
    "--set",
    "pairs",
    multiple=True,
    callback=parse_pairs,
    metavar="KEY=VALUE",
    help="Options of the benchmark.",
)
SOURCE_LIMITS: Final = click.option(
    "--set",
    "pairs",
    multiple=True,
    callback=parse_pairs,
    metavar="BOUND=VALUE",
    help="Bound the sources: most_files, total_mb, file_mb.",
)
