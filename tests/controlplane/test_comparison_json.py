"""The JSON object that `controlplane compare --json` prints, and its table in the reference."""

import re
from pathlib import Path

from tests.support.command import ROOT, CommandRunner
from tests.support.journals.scored_journal import scored_journal


def documented_fields() -> set[str]:
    """Return the fields of a comparison that the reference lists in the first column of a table.

    | `first`, `second` | the names of the runs |
    """
    reference = (ROOT / "docs/reference.md").read_text(encoding="utf-8")
    _, _, after_heading = reference.partition("### Comparisons")
    section, _, _ = after_heading.partition("\n### ")
    fields: set[str] = set()
    for line in section.splitlines():
        if line.startswith("| `"):
            first_column = line.split("|")[1]
            fields.update(re.findall(r"`(\w+)`", first_column))
    return fields


def test_the_json_object_of_a_comparison_has_the_documented_fields(
    tmp_path: Path, run_command_here: CommandRunner
) -> None:
    """The reference documents every field, and no other."""
    (tmp_path / "runs").mkdir()
    scored_journal(tmp_path / "runs/before.jsonl", {"t0": [1.0], "t1": [1.0]})
    scored_journal(tmp_path / "runs/after.jsonl", {"t0": [0.0], "t1": [1.0]})

    comparison = run_command_here("compare", "before", "after", "--json").json

    assert set(comparison) == documented_fields()
    assert comparison["families"] == [
        {"name": "t0", "tasks": 1, "first": 1.0, "second": 0.0},
        {"name": "t1", "tasks": 1, "first": 1.0, "second": 1.0},
    ]
