"""The tools in `/bin` that only read: `cat`, `jq` and `availability`.

Each takes its arguments and what is on stdin, and returns what it prints. A refusal is a
`ValueError`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from controlplane.benchmarks.ecom.json_filter import apply_filter
from controlplane.benchmarks.ecom.record_names import RecordNames
from controlplane.benchmarks.ecom.tools.tool_arguments import parsed_json, refuse
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import Plain


def cat(tree: FileTree, arguments: Sequence[str], stdin: str) -> str:
    """Print files, or stdin without a path: `cat [-n] [PATH ...]`."""
    has_numbers = bool(arguments) and arguments[0] in ("-n", "--number")
    paths = arguments[1:] if has_numbers else arguments
    text = stdin
    if paths:
        text = "".join(_text(tree, path, stdin) for path in paths)
    if not has_numbers:
        return text
    numbered_lines = []
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        numbered_lines.append(f"{number:6d}\t{line}")
    return "".join(numbered_lines)


def jq(tree: FileTree, arguments: Sequence[str], stdin: str) -> str:
    """Print the values that a filter finds in JSON data: `jq [-r] FILTER [PATH]`."""
    remaining = list(arguments)
    is_raw = bool(remaining) and remaining[0] in ("-r", "--raw-output")
    if is_raw:
        remaining.pop(0)
    if len(remaining) not in (1, 2):
        refuse("expected a filter and at most one path")
    program = remaining[0]
    path = remaining[1] if len(remaining) == 2 else "-"  # `-` stands for stdin.
    data = parsed_json(_text(tree, path, stdin), path)
    lines = []
    for value in apply_filter(program, data):
        if is_raw and isinstance(value, str):
            lines.append(value)
        else:
            lines.append(json.dumps(value, indent=2, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


def availability(
    tree: FileTree, names: RecordNames, arguments: Sequence[str], stdin: str
) -> str:
    """Print the units of each SKU that a branch can sell today, one SKU a line.

    `availability BRANCH_RECORD_PATH SKU...` -> `VH-TNT-2P\t4\n`. The path `-` stands for
    stdin.
    """
    if len(arguments) < 2:
        refuse("expected the path of a branch record (or -) and at least one SKU")
    path, *skus = arguments
    store = parsed_json(_text(tree, path, stdin), path)
    rows = None
    if isinstance(store, dict):
        # Files show the world's names of fields; `inventory` is the one in the code.
        rows = names.in_code_names(store).get("inventory")
    if not isinstance(rows, list):
        refuse(f"{path} is not a branch record")
    units = _available_units(rows)
    return "".join(f"{sku}\t{units.get(sku, 0)}\n" for sku in skus)


def _available_units(rows: list[Plain]) -> dict[str, int]:
    """Return the units for sale by SKU, from the stock rows of a branch record.

    The record may be any JSON text from stdin, so malformed rows are skipped.
    """
    units = {}
    for row in rows:
        match row:
            case {"sku": str(sku), "on_hand": int(on_hand), "reserved": int(reserved)}:
                units[sku] = max(on_hand - reserved, 0)
    return units


def _text(tree: FileTree, path: str, stdin: str) -> str:
    """Return the text of a file, or stdin for `-`. Case in the path does not matter."""
    if path == "-":
        return stdin
    listed_path = tree.resolve(path)
    if listed_path is not None:
        text = tree.text(listed_path)
        if text is not None:
            return text
    msg = f"{path}: no such file"
    raise ValueError(msg)
