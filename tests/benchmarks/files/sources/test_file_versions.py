"""Finding files that are versions of one another, so that an answer does not use an old one.

`policy-2023.md` and `policy-2025.md` are versions of one document. The model is shown
such a family with the newest version first: `["/policy-2025.md", "/policy-2023.md"]`.
"""

from pathlib import Path

from controlplane.benchmarks.files.sources.folder_scan import find_sources
from tests.benchmarks.files.opened_files import write_files


def versions_of(folder: Path, *names: str) -> list[list[str]]:
    """Return the families of versions in a folder with files of these names."""
    write_files(folder, dict.fromkeys(names, "x"))
    return find_sources(folder).versions


def test_files_with_a_date_in_their_names_are_versions(tmp_path: Path) -> None:
    """Two documents have two versions each: one by its year, and one by its day."""
    versions = versions_of(
        tmp_path,
        "policy-2023.md",
        "policy-2025.md",
        "log.2025-01-31.txt",
        "log.2025-02-01.txt",
    )

    assert versions == [
        ["/log.2025-02-01.txt", "/log.2025-01-31.txt"],
        ["/policy-2025.md", "/policy-2023.md"],
    ]


def test_version_10_is_newer_than_version_2(tmp_path: Path) -> None:
    """Numbers are compared as numbers, and not as texts."""
    versions = versions_of(tmp_path, "api-v2.md", "api-v10.md")

    assert versions == [["/api-v10.md", "/api-v2.md"]]


def test_numbered_parts_and_invoices_are_not_versions(tmp_path: Path) -> None:
    """A higher number does not replace a lower one: both invoices have to be paid."""
    versions = versions_of(
        tmp_path, "t-01.txt", "t-02.txt", "2025-0117.txt", "2025-0119.txt"
    )

    assert versions == []


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


def test_year_month_and_version_number_cannot_be_put_in_order(tmp_path: Path) -> None:
    """Nobody knows whether version 2 is from before or after March."""
    versions = versions_of(tmp_path, "plan-2025.md", "plan-2025-03.md", "plan-v2.md")

    assert versions == []


def test_file_without_another_version_is_not_in_a_family(tmp_path: Path) -> None:
    """`bill.csv` is of another kind than `bill_korrigiert.md`."""
    versions = versions_of(
        tmp_path, "bill.csv", "bill_korrigiert.md", "day-20250131.md"
    )

    assert versions == []
