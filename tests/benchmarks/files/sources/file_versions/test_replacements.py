"""A file may say that it replaces another one, or its name may. Then it is a newer version.

Versions of one file are a *family*, with the newest first: `["/fees (corrected).md", "/fees.md"]`.
A model is shown the families, so that its answer does not use an old version. `versions_of(folder,
*names)` adds files of these names to the folder, and returns the families of all its files.
"""

from pathlib import Path

from tests.benchmarks.files.opened_files import write_files
from tests.benchmarks.files.sources.file_versions.version_families import versions_of


def test_file_that_says_what_it_replaces_is_newer(tmp_path: Path) -> None:
    """Only the head counts, between the lines `---`. There, 3 is not the path of a file.

    A sentence below the head does not count: policy-2023.md is in no family.
    """
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
    """`bill_korrigiert.md` is no CSV file, and there is no other day than `day-20250131.md`."""
    versions = versions_of(
        tmp_path, "bill.csv", "bill_korrigiert.md", "day-20250131.md"
    )

    assert versions == []
