"""A folder in which a question was asked, and answered from docs/loans.md."""

from pathlib import Path

import pytest

from tests.controlplane.questions.asked_question import scripted_model
from tests.controlplane.questions.conversations.continued_question import (
    READ_AND_ANSWER,
)
from tests.support.command import run_in_process


@pytest.fixture
def asked_folder(tmp_path: Path) -> Path:
    """A folder in which a question was asked, and answered by reading and citing docs/loans.md."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/loans.md").write_text("loan-02: kept until 2026-03-01.\n")
    model = scripted_model(tmp_path, READ_AND_ANSWER)
    question = "Until when may loan-02 be kept?"
    asked = run_in_process("ask", question, "docs", *model, "--json", cwd=tmp_path)
    assert asked.code == 0, asked.err
    return tmp_path
