"""The file `entries.toml` lists all places where the product takes in bytes that others may write.

A row says who writes the bytes, what they can effect, what bounds them, and which tests show it.
Whoever adds a call of `import_module` in `gates/rule_set_loading.py` has to add the entry
"gates/rule_set_loading.py: import", or a pattern for it, to the column `code` of a row.
"""

import tomllib
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

import pytest

from tests.support.product_files import ROOT
from tests.support.source_entries import entries

KINDS_OF_ENTRIES = ("code", "options", "variables", "events", "files")
"""The columns of a row with patterns of entries, such as `variables = ["CONTROLPLANE_*"]`."""


@cache
def rows() -> list[dict[str, Any]]:
    """Return the rows of `entries.toml`: `[{"entry": "a journal ...", "code": [...]}, ...]`."""
    table = tomllib.loads((ROOT / "tests/entries.toml").read_text())
    table_rows: list[dict[str, Any]] = table["row"]
    return table_rows


def patterns_of_rows(kind: str) -> list[str]:
    """Return the patterns of all rows for a kind of entries: `["CONTROLPLANE_*", "HOME"]`."""
    patterns: list[str] = []
    for row in rows():
        patterns += row.get(kind, ())
    return patterns


@pytest.mark.parametrize("kind", KINDS_OF_ENTRIES)
def test_every_entry_has_a_row(kind: str) -> None:
    patterns = patterns_of_rows(kind)

    entries_without_row: list[str] = []
    for entry in sorted(entries()[kind]):
        if not any(fnmatchcase(entry, pattern) for pattern in patterns):
            entries_without_row.append(entry)

    assert entries_without_row == []


@pytest.mark.parametrize("kind", KINDS_OF_ENTRIES)
def test_every_pattern_of_a_row_fits_an_entry(kind: str) -> None:
    """A pattern without an entry stayed behind when the code went."""
    patterns_without_entry: list[str] = []
    for pattern in patterns_of_rows(kind):
        if not any(fnmatchcase(entry, pattern) for entry in entries()[kind]):
            patterns_without_entry.append(pattern)

    assert patterns_without_entry == []


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["entry"])
def test_a_row_has_all_columns_and_its_tests_exist(row: dict[str, Any]) -> None:
    """The column `tests` has paths below `tests/`."""
    other_columns = row.keys() - set(KINDS_OF_ENTRIES)
    # The columns of a row that are sentences for readers.
    text_columns = ("entry", "writer", "effect", "bound")
    assert other_columns == {*text_columns, "tests"}
    for column in text_columns:
        assert row[column].strip() != "", column
    for test in row["tests"]:
        assert (ROOT / "tests" / test).is_file(), test
