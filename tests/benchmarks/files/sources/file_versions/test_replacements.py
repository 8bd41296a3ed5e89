"""Files that replace another one, as they or their names say, are newer versions of it.

A model is shown such a family with the newest version first, so that an answer does not use an old
one: `["/fees (corrected).md", "/fees.md"]`.
"""

from pathlib import Path

from tests.benchmarks.files.opened_files import write_files
from tests.benchmarks.files.sources.file_versions.version_families import versions_of


def test_file_that_says_what_it_replaces_is_newer(tmp_path: Path) -> None:
    """It says so in its head, between the lines `---`. A sentence of its text does not count."""
    new_text = "---\nreplaces: old/rules.md\n---\nIt replaces policy-2023.md.\n"
    old_text = "---\nsuperseded_by: [../new.md, 3]\n---\n"
    write_files(tmp_path, {"new.md": new_text, "old/rules.md": old_text})

    versions = versions_of(tmp_path, "policy-2023.md")

    assert versions == [["/new.md", "/old/rules.md"]]


def test_corrected_copy_is_newer_than_its_original(tmp_path: Path) -> None:
    """`korrigiert` is German for "corrected"."""
    versions = versions_of(
        tmp_path, "fees.md", "fees (corrected).md", "bill.csv", "bill_korrigiert.csv"
    )

    assert versions == [
        ["/bill_korrigiert.csv", "/bill.csv"],
        ["/fees (corrected).md", "/fees.md"],
    ]


def test_file_without_another_version_is_not_in_a_family(tmp_path: Path) -> None:
    """`bill.csv` is of another kind than `bill_korrigiert.md`."""
    versions = versions_of(
        tmp_path, "bill.csv", "bill_korrigiert.md", "day-20250131.md"
    )

    assert versions == []
