"""Files whose names differ in a date or a version number are versions of one another.

A model is shown such a family with the newest version first, so that an answer does not use an old
one: `["/policy-2025.md", "/policy-2023.md"]`.
"""

from pathlib import Path

from tests.benchmarks.files.sources.file_versions.version_families import versions_of


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


def test_year_month_and_version_number_cannot_be_put_in_order(tmp_path: Path) -> None:
    """Nobody knows whether version 2 is from before or after March."""
    versions = versions_of(tmp_path, "plan-2025.md", "plan-2025-03.md", "plan-v2.md")

    assert versions == []
