"""Tells by their names which files have data, and parses them.

A file such as `/mail.md` is running text, whose author may give a model false orders. A file such
as `/fees.csv` has data:

| file | text | value |
|---|---|---|
| `/fees.json` | `{"fee": 7}` | `{"fee": "7"}` |
| `/fees.YML` | `- {fee: 7}` | `[{"fee": "7"}]` |
| `/fees.csv` | `name;fee` | None: its lines are read one by one |
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.texts.data.loaded_data import loaded_json
from controlplane.agent.evidence.texts.data.yaml_data import parsed_yaml

_YAML_SUFFIXES: Final = (".yaml", ".yml")
_DATA_SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", *_YAML_SUFFIXES)


def is_data_file(path: str) -> bool:
    """Return True if a file has data, by the extension of its name."""
    return path.casefold().endswith(_DATA_SUFFIXES)


def parsed_file(path: str, text: str) -> object:
    """Return the value of a data file, or of a part of it, that is JSON or YAML; otherwise None."""
    data = loaded_json(text)
    if data is None and path.casefold().endswith(_YAML_SUFFIXES):
        data = parsed_yaml(text)
    return data
