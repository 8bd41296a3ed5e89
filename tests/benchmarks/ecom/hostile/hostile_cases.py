"""Cases of hostile files and queries for the tools of the simulated shop.

A script of a model may write any text as a record, and then run a tool on it:

    tool("checkout", "hostile", baskets="[1]")   # a basket whose file is a list
    sql("select 1; select 2")                    # two queries in one
    every_table(products=DEEP)                   # each table, beside a product nested too deeply
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tests.benchmarks.ecom.hostile.hostile_shop import ROOTS


class Case(NamedTuple):
    """Commands of tools, and hostile files that are written before them."""

    commands: Sequence[Sequence[str]]
    """Tools with their arguments: `[["jq", ".", "/tmp/deep"]]`."""
    files: Mapping[str, str]
    """The texts of the hostile files, by path: `{"/tmp/deep": "[[[[..."}`."""
    may_overrun: bool
    """True if a tool may be stopped at a limit of time or output."""


def record_files(text_of_kind: Mapping[str, str]) -> dict[str, str]:
    """Return the files of new records, each with the id `hostile`, by path.

    `{"baskets": "[]"}` -> `{"/proc/carts/hostile.json": "[]"}`
    """
    return {f"{ROOTS[kind]}/hostile.json": text for kind, text in text_of_kind.items()}


def tool(
    *command: str,
    files: Mapping[str, str] | None = None,
    may_overrun: bool = False,
    **records: str,
) -> Case:
    """Return the case of one command.

    `tool("checkout", "hostile", baskets="[]")` checks out a basket whose file has the text `[]`:
    `Case([("checkout", "hostile")], {"/proc/carts/hostile.json": "[]"}, may_overrun=False)`.
    """
    return Case([command], {**record_files(records), **(files or {})}, may_overrun)


def sql(*queries: str, may_overrun: bool = False, **records: str) -> Case:
    """Return the case of several queries.

    `sql("select 1", products="[]")` runs a query in a shop with a product whose file has `[]`:
    `Case([("sql", "select 1")], {"/proc/articles/hostile.json": "[]"}, may_overrun=False)`.
    """
    commands = [("sql", query) for query in queries]
    return Case(commands, record_files(records), may_overrun)


def every_table(**records: str) -> Case:
    """Return the case of a query of every table: `every_table(products="[]")`.

    There is a table for each kind of records. A hostile product must not harm those of other kinds.
    """
    return sql(*[f"select * from {table} limit 3" for table in ROOTS], **records)


def every_table_with(text: str) -> Case:
    """Return the case of a query of every table, where a file of each kind has this text."""
    return every_table(**dict.fromkeys(ROOTS, text))
