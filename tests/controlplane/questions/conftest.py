"""Files that questions are asked about, and files that they may change."""

from pathlib import Path

import pytest


@pytest.fixture
def loan_folder(tmp_path: Path) -> Path:
    """A folder with docs/loans.md, which says until when loan-02 may be kept, and with two files
    that do not: notes.md, and an image, docs/logo.png."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/loans.md").write_text(
        "# Loans\n\n- loan-02: kept\n  until 2026-03-01.\n- loan-02 again\n"
    )
    (tmp_path / "notes.md").write_text("nothing\n")
    (tmp_path / "docs/logo.png").write_bytes(b"\0")
    return tmp_path


@pytest.fixture
def changeable_folder(loan_folder: Path) -> Path:
    """The folder with a file to delete, docs/old.md, and a docs/loans.md that only its owner may
    read."""
    (loan_folder / "docs/old.md").write_text("old\n")
    (loan_folder / "docs/loans.md").chmod(0o600)
    return loan_folder
