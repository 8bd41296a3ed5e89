"""The tools that only read: `id date cat availability jq sql`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from benchmarks.ecom.runtime.tools.jq_filters import apply_filter
from benchmarks.ecom.runtime.tools.records_sql import query_records, schema_of
from benchmarks.ecom.runtime.tools.tool_context import Output, Tool, ToolContext, ToolFailure, parsed_json


def _no_arguments(arguments: Sequence[str]) -> None:
    if arguments:
        msg = f"takes no arguments, got {' '.join(arguments)!r}"
        raise ToolFailure(msg)


def _id(context: ToolContext, arguments: Sequence[str], stdin: str) -> str:
    _no_arguments(arguments)
    return f"user: {context.workspace.user}\nroles: {', '.join(context.workspace.roles)}\n"


def _date(context: ToolContext, arguments: Sequence[str], stdin: str) -> str:
    _no_arguments(arguments)
    return context.workspace.clock.strftime("%Y-%m-%dT%H:%M:%SZ\n")


def _cat(context: ToolContext, arguments: Sequence[str], stdin: str) -> str:
    numbered = bool(arguments) and arguments[0] in ("-n", "--number")
    paths = arguments[1:] if numbered else arguments
    text = "".join(stdin if path == "-" else context.text(path) for path in paths) if paths else stdin
    if not numbered:
        return text
    return "".join(f"{number:6d}\t{line}" for number, line in enumerate(text.splitlines(keepends=True), start=1))


def _jq(context: ToolContext, arguments: Sequence[str], stdin: str) -> str:
    raw = bool(arguments) and arguments[0] in ("-r", "--raw-output")
    rest = list(arguments[1:] if raw else arguments)
    if not 1 <= len(rest) <= 2:
        msg = "expected a filter and at most one path"
        raise ToolFailure(msg)
    path = rest[1] if len(rest) == 2 else "-"
    data = parsed_json(stdin if path == "-" else context.text(path), path)
    return "".join(
        (each if raw and isinstance(each, str) else json.dumps(each, indent=2, ensure_ascii=False)) + "\n"
        for each in apply_filter(rest[0], data)
    )


def _availability(context: ToolContext, arguments: Sequence[str], stdin: str) -> str:
    if len(arguments) < 2:
        msg = "expected the path of a branch record (or -) and at least one SKU"
        raise ToolFailure(msg)
    path, *skus = arguments
    store = parsed_json(stdin if path == "-" else context.text(path), path)
    rows = context.workspace.names.known(store).get("inventory") if isinstance(store, dict) else None
    if not isinstance(rows, list):
        msg = f"{path} is no branch record"
        raise ToolFailure(msg)
    available = {}
    for row in rows:
        if isinstance(row, dict):
            sku, on_hand, reserved = row.get("sku"), row.get("on_hand"), row.get("reserved")
            if isinstance(sku, str) and isinstance(on_hand, int) and isinstance(reserved, int):
                available[sku] = max(on_hand - reserved, 0)
    return "".join(f"{each}\t{available.get(each, 0)}\n" for each in skus)


def _sql(context: ToolContext, arguments: Sequence[str], stdin: str) -> Output:
    if not context.workspace.sql_is_up:
        raise ToolFailure(context.workspace.names.outage)
    if len(arguments) > 1:
        msg = "expected one query, as the only argument or on stdin"
        raise ToolFailure(msg)
    query = arguments[0] if arguments else stdin
    if not query.strip():
        msg = "expected a query, as the only argument or on stdin"
        raise ToolFailure(msg)
    return query_records(context, query)


QUERIES: Final = (
    Tool(
        "availability",
        "availability <branch_record_path|-> <sku>...\n\nPrints a line per SKU: the SKU, a tab, the units available.",
        _availability,
    ),
    Tool("cat", "cat [-n|--number] [path ...]\n\nPrints files, or stdin.", _cat),
    Tool("date", "date\n\nPrints the current time in UTC.", _date),
    Tool("id", "id\n\nPrints the user and the roles of the session.", _id),
    Tool(
        "jq",
        "jq [-r|--raw-output] <filter> [path|-]\n\n"
        "Filters: . .field .a.b .a[0] .a[] keys length select(.a == 1), joined by |.",
        _jq,
    ),
    Tool(
        "sql",
        lambda names: (
            "sql [query]\n\nRuns one read-only SQLite query (argument or stdin) and prints CSV with a header.\n"
            "At most 100 rows. Tables:\n" + schema_of(names)
        ),
        _sql,
    ),
)
