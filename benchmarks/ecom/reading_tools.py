"""The tools in `/bin` that only read: `cat`, `jq` and `availability`.

Each takes its arguments and what is on stdin, and returns what it prints. A refusal is a
`ValueError`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Final

from controlplane.benchmarks.ecom.record_names import RecordNames
from controlplane.benchmarks.ecom.record_store import parsed_json, refuse
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import Plain

# The filters of `/bin/jq`, a small part of the real jq.
#
# They are `.`, `.field`, `.a.b`, `.a[0]`, `.a[]`, `keys` and `length`, joined by `|`. For
# example, `.lines[] | .sku` gives the SKU of each line of a basket. A filter takes one value
# and has any number of results.

STEP: Final = re.compile(
    r"\.(?P<field>[A-Za-z_]\w*)"  # `.name`: the value of a field
    r"|\.?\[(?P<index>-?\d{1,9})\]"  # `[0]` or `.[0]`: one item of a list
    r"|(?P<all>\.?\[\])"  # `[]` or `.[]`: all items of a list, or all values of an object
    r"|(?P<same>\.\Z)"  # `.` at the end: the value itself
)
"""One step of a path. `.a[0].b` has three: `.a`, `[0]` and `.b`."""


def apply_filter(program: str, data: Plain) -> list[Plain]:
    """Apply a filter to `data` and return its results. Raises `ValueError`."""
    values = [data]
    for stage in program.split("|"):
        results: list[Plain] = []
        for value in values:
            results += _results_of(stage.strip(), value)
        values = results
    return values


def _results_of(stage: str, data: Plain) -> list[Plain]:
    """Return the results of one stage for a value: `.a[0]` of `{"a": [5]}` -> `[5]`."""
    if stage == "length" and isinstance(data, str | list | dict | None):
        return [len(data or "")]
    if stage == "keys" and isinstance(data, list):
        return [list(range(len(data)))]
    if stage == "keys" and isinstance(data, dict):
        return [list(sorted(data))]

    # Any other stage is a path. It has no steps if it is empty; then the result is the value.
    values = [data]
    position = 0
    while position < len(stage):
        step = STEP.match(stage, position)
        if step is None:
            msg = f"cannot take {stage!r} of {type(data).__name__}"
            raise ValueError(msg)
        picked: list[Plain] = []
        for value in values:
            picked += _picked(step, value)
        values = picked
        position = step.end()
    return values


def _picked(step: re.Match[str], data: Plain) -> Iterable[Plain]:
    """Return the parts of a value that one step selects: `[]` of `[4, 12]` -> `[4, 12]`.

    Raises `ValueError` if such a value has no such parts.
    """
    match step.lastgroup:
        case "same":
            return [data]
        case "field":
            if isinstance(data, dict):
                return [data.get(step["field"])]
            if data is None:  # A field of a missing field is missing, too.
                return [None]
        case "index":
            if isinstance(data, list):
                return [_item_at(int(step["index"]), data)]
        case "all":
            if isinstance(data, list):
                return data
            if isinstance(data, dict):
                return data.values()
    msg = f"cannot take {step[0]!r} of {type(data).__name__}"
    raise ValueError(msg)


def _item_at(index: int, items: list[Plain]) -> Plain:
    """Return an item; a negative index counts from the end. None if there is no such item."""
    if -len(items) <= index < len(items):
        return items[index]
    return None


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
