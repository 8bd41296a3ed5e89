"""The fields of a file of a task's world, by its kind: a JSON object, a row of separated values, or `key: value` lines
(YAML, and Markdown, in its front matter if it has one)."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from sandbox.interface import CallError, error_codes

BOM: Final = "\ufeff"
SEPARATORS: Final = {"csv": ",", "tsv": "\t"}
LINED: Final = ("yaml", "yml", "md")
LINE: Final = re.compile(r"^([^\s:#-][^:\n]*):[ \t]*([^\r\n]*)", re.MULTILINE)
FRONT: Final = re.compile(r"\A---\r?\n(.*?)^---\r?$", re.DOTALL | re.MULTILINE)
PLAIN: Final = re.compile(r"[^\W\d][\w ./@()-]*")
"""A text that YAML reads as itself, unless it is a word for yes, no or nothing."""
RESERVED: Final = frozenset({"true", "false", "yes", "no", "on", "off", "null"})


def fields_of(path: str, text: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a file; for separated values, those of the row that `row` selects. Raises `CallError`."""
    kind, text = path.rpartition(".")[2].lower(), text.removeprefix(BOM)
    if kind in SEPARATORS:
        rows = _rows(path, text, kind)
        return dict(zip(rows[0], rows[_row_at(path, rows, row)], strict=False))
    if kind in LINED:
        return {key.strip(): _unquoted(value) for key, value in LINE.findall(_lines(text)[1])}
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):  # A script may have written it.
        data = None
    if not isinstance(data, dict):
        raise CallError(error_codes.FAILED_PRECONDITION, f"{path} holds no JSON object")
    return data


def holds(path: str, fields: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Say whether fields hold the wanted values; files other than JSON objects hold texts."""
    if path.rpartition(".")[2].lower() not in (*SEPARATORS, *LINED):
        return merged(fields, wanted) == fields
    return all(fields.get(name) == _text(value) for name, value in wanted.items())


def with_fields(path: str, text: str, row: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    """Return the text of a file with some fields set. Raises `CallError`."""
    if text.startswith(BOM):
        return BOM + with_fields(path, text.removeprefix(BOM), row, values)
    kind = path.rpartition(".")[2].lower()
    ending = "\r\n" if "\r\n" in text else "\n"
    if kind in SEPARATORS:
        rows = _rows(path, text, kind)
        at, columns = _row_at(path, rows, row), rows[0]
        for name, value in values.items():
            if name not in columns:
                raise CallError(error_codes.FAILED_PRECONDITION, f"{path} has no column {name!r}")
            rows[at] += [""] * (len(columns) - len(rows[at]))
            rows[at][columns.index(name)] = _text(value)
        written = io.StringIO()
        csv.writer(written, delimiter=SEPARATORS[kind], lineterminator=ending).writerows(rows)
        return written.getvalue()
    if kind in LINED:
        before, lines, after = _lines(text)
        for name, value in values.items():
            line = f"{name}: {_quoted(value)}"
            spot = next((found for found in LINE.finditer(lines) if found[1].strip() == name), None)
            if spot is not None:
                lines = lines[: spot.start()] + line + lines[spot.end() :]
            else:
                lines += f"{ending}{line}{ending}" if lines and not lines.endswith("\n") else f"{line}{ending}"
        return before + lines + after
    return json.dumps(merged(fields_of(path, text, row), values), indent=2, ensure_ascii=False) + "\n"


def merged(data: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with the fields of another object set; tables are merged."""
    result = dict(data)
    for name, value in given.items():
        held = result.get(name)
        result[name] = merged(held, value) if isinstance(held, dict) and isinstance(value, dict) else value
    return result


def _rows(path: str, text: str, kind: str) -> list[list[str]]:
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=SEPARATORS[kind]))
    except csv.Error as error:
        raise CallError(error_codes.FAILED_PRECONDITION, f"{path} cannot be read: {error}") from None
    if not rows:
        raise CallError(error_codes.FAILED_PRECONDITION, f"{path} has no line of column names")
    return rows


def _row_at(path: str, rows: list[list[str]], wanted: Mapping[str, Any]) -> int:
    texts = {name: _text(value) for name, value in wanted.items()}
    found = [
        at for at, cells in enumerate(rows[1:], 1) if texts.items() <= dict(zip(rows[0], cells, strict=False)).items()
    ]
    if len(found) != 1:
        raise CallError(error_codes.NOT_FOUND, f"{len(found)} rows of {path} fit {texts}")
    return found[0]


def _lines(text: str) -> tuple[str, str, str]:
    """Return the text before the `key: value` lines, those lines, and the text after them."""
    front = FRONT.search(text)
    return (text[: front.start(1)], front[1], text[front.end(1) :]) if front else ("", text, "")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _unquoted(value: str) -> str:
    value = value.strip()
    if value.startswith('"'):
        with suppress(ValueError):
            return str(json.loads(value))  # as `_quoted` wrote it
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def _quoted(value: Any) -> str:
    is_plain = (
        isinstance(value, str) and PLAIN.fullmatch(value) and value.lower() not in RESERVED and value == value.strip()
    )
    return value if is_plain else json.dumps(value, ensure_ascii=False)
