"""Twins: product lines that imitate another one, with a similar name and another brand.

The twins of the tent `Nordvane Skerry`, the line `TNT`, have the codes `TNT~1`, `TNT~2`, ... and
names such as `Skerrholm`. They fill a large catalogue, and a request for `Skerry` must not
get a `Skerrholm`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from controlplane.benchmarks.ecom.world.data import read_data
from controlplane.benchmarks.ecom.world.products.product_lines import (
    Line,
    product_lines,
)


@cache
def twin_lines(number: int) -> tuple[Line, ...]:
    """Return the twins with a number, from 1: one for each original line.

    With 2, the first is `TNT~2`. It differs from the line `TNT` only by its code and name.
    """
    return tuple(_twin_of(line, number) for line in product_lines())


def _twin_of(line: Line, number: int) -> Line:
    """Return the line with another brand and a similar model name: `Skerry` -> `Skerrholm`."""
    pools = read_data("company.json")["twins"]
    brands = pools["brands"]
    endings = pools["endings"]
    # Choose a brand and an ending by a number that differs between most lines and twins.
    # Unlike `hash`, it is the same in each process.
    choice = sum(ord(letter) for letter in line.code) + number
    stem = line.model.split()[0]
    if len(stem) > 3:  # A shorter stem would no longer be similar.
        stem = stem[:-1]
    return replace(
        line,
        code=f"{line.code}~{number}",
        brand=brands[choice % len(brands)],
        model=stem + endings[choice % len(endings)],
    )


def original_code(line_code: str) -> str:
    """Return the code of a twin's original line: `TNT~2` -> `TNT`. Other codes stay the same."""
    return line_code.partition("~")[0]


def line_called(line_code: str) -> Line:
    """Return the line with a code: `TNT`, or `TNT~2` for a twin.

    Raises `KeyError` if no line has this code.
    """
    _, _, twin_number = line_code.partition("~")
    lines = twin_lines(int(twin_number)) if twin_number else product_lines()
    for line in lines:
        if line.code == line_code:
            return line
    raise KeyError(line_code)
