"""Finds the columns in an SQL query, by its syntax tree from DuckDB.

The tree is JSON: for `amount > 5`, it has a node for the comparison, with a node for the
column `amount` and one for the number below it. So a column that must not be compared with a
number is found without reading SQL.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from controlplane.benchmarks.files.tables.table_database import database

Node: TypeAlias = dict[str, Any]
"""A node of a syntax tree."""


@dataclass(frozen=True, slots=True)
class ColumnReference:
    """A column as a query refers to it: `amount`, or `t.amount`."""

    name: str
    """The column's name, case-folded, because DuckDB ignores case in names."""
    table: str
    """The table or alias before the dot, as written; empty if there is none."""

    @classmethod
    def of_node(cls, node: Node) -> ColumnReference | None:
        """Return the column that a node names, if any.

        Such a node has `"column_names": ["t", "amount"]`, or only `["amount"]`.
        """
        names = node.get("column_names")
        if not names:
            return None
        table = names[-2] if len(names) > 1 else ""
        return cls(names[-1].casefold(), table)


def nodes_of(sql: str) -> list[Node]:
    """Return all nodes of the syntax tree of a statement."""
    row = database.execute("select json_serialize_sql(?::varchar)", [sql]).fetchone()
    if row is None:
        return []
    return list(_nodes_below(json.loads(row[0])))


def _nodes_below(tree: Any) -> Iterator[Node]:
    """Yield a node of a syntax tree, and all nodes below it."""
    if isinstance(tree, dict):
        yield tree
        for branch in tree.values():
            yield from _nodes_below(branch)
    elif isinstance(tree, list):
        for branch in tree:
            yield from _nodes_below(branch)


def columns_in(nodes: Iterable[Node]) -> list[ColumnReference]:
    """Return the columns that nodes name."""
    columns = []
    for node in nodes:
        column = ColumnReference.of_node(node)
        if column is not None:
            columns.append(column)
    return columns


def columns_compared_with_numbers(nodes: list[Node]) -> Iterator[ColumnReference]:
    """Yield the columns that a statement compares with numbers: `amount` for `amount = 5`.

    DuckDB's node for this comparison is

        {"type": "COMPARE_EQUAL",
         "left": {"column_names": ["amount"]},
         "right": {"literal": {"kind": "INTEGER"}}}

    Comparisons with several values, such as `amount in (5, 6)`, have a list `children`
    instead of `left` and `right`.
    """
    for node in nodes:
        if not str(node.get("type")).startswith("COMPARE_"):
            continue
        operands = list(node.get("children", ()))
        for side in ("left", "right"):
            if side in node:
                operands.append(node[side])
        if not any(_is_number(operand) for operand in operands):
            continue
        yield from columns_in(operands)


def _is_number(operand: Node) -> bool:
    return operand.get("literal", {}).get("kind") in ("INTEGER", "NUMERIC")
