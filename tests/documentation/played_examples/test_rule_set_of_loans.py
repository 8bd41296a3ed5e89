"""The page of gates shows a rule set for a library, `loans.py`, by which a task is judged here.

Its rule due-date rejects an answer that does not say until when a book may be kept. The task is to
renew a loan. The model answers "It is renewed; you may keep it until", and the date.
"""

from pathlib import Path

import pytest

from tests.documentation.pages import EXAMPLES, GATES_PAGE, code_after
from tests.support.command import CommandResult, run_controlplane


@pytest.fixture
def folder_with_rule_set(tmp_path: Path) -> Path:
    """A folder with the rule set of the page in the module `loans`.

    On the page, the comment `<!-- module: loans.py ...` stands before the code of the module.
    """
    module = code_after("<!-- module: loans.py", GATES_PAGE)
    (tmp_path / "loans.py").write_text(module, "utf-8")
    return tmp_path


def run_renewed_loan(folder: Path, replies: str) -> CommandResult:
    """Run a task of the example `library`, to renew a loan, with the rule set of a folder.

    `replies` is the file with the replies of the model.
    """
    return run_controlplane(
        "run",
        "renewed-loan",
        "--benchmark",
        f"folder:{EXAMPLES / 'library'}",
        "--rule-sets",
        "loans:RULE_SET",
        "--json",
        "--model",
        f"scripted:{replies}",
        cwd=folder,
    )


def test_the_rule_set_of_the_page_accepts_an_answer_with_the_date(
    folder_with_rule_set: Path,
) -> None:
    result = run_renewed_loan(folder_with_rule_set, f"{EXAMPLES}/library.toml")

    assert result.code == 0, result.err
    assert result.json["score"] == 1.0
    assert result.json["rejections"] == {}


def test_the_rule_set_of_the_page_rejects_an_answer_without_the_date(
    folder_with_rule_set: Path,
) -> None:
    """The model's script is the same, but its answer leaves out the date."""
    changes = {
        'answer"] = f"It is renewed; you may keep it until {due}."': 'answer"] = "It is renewed."',
        # The script checks its own answer before it submits it; this check has to pass, too.
        'return due in sp["answer"]': 'return "renewed" in sp["answer"]',
    }
    replies = (EXAMPLES / "library.toml").read_text("utf-8")
    for old_code, new_code in changes.items():
        assert replies.count(old_code) == 1
        replies = replies.replace(old_code, new_code)
    (folder_with_rule_set / "dateless.toml").write_text(replies, "utf-8")

    result = run_renewed_loan(folder_with_rule_set, "dateless.toml")

    assert "loans/due-date" in result.json["rejections"]
