"""A file that the user edits before they consent to changes of `ask --write` is left alone.

The terminal shows the changes and asks "Make these changes?". Meanwhile the user edits docs/old.md. The
other change is made, and the command fails.
"""

from pathlib import Path

from tests.controlplane.questions.asked_question import (
    A_QUESTION_FAILED,
    scripted_model,
)
from tests.controlplane.questions.edited_files.two_files import (
    CHANGE_FEE,
    DELETE_OLD_AND_ANSWER,
    docs_with_two_files,
)
from tests.support.terminal import Terminal


def test_a_file_that_is_edited_before_the_user_consents_is_not_changed(
    tmp_path: Path,
) -> None:
    docs = docs_with_two_files(tmp_path)
    model = scripted_model(tmp_path, CHANGE_FEE + DELETE_OLD_AND_ANSWER)
    words = ("ask", "Do it.", "docs", "--write", "docs", "--gates", "none", *model)

    with Terminal(*words, cwd=tmp_path) as terminal:
        terminal.wait_for(r"Make these changes\?")
        (docs / "old.md").write_text("edited\n")
        terminal.type("y\r")
        assert terminal.finish() == A_QUESTION_FAILED
        printed = terminal.everything.replace("\n", "")  # The terminal wraps lines.
        assert "old.md: it was changed meanwhile" in printed

    assert (docs / "fees.md").read_text() == "fee: 7\n"
    assert (docs / "old.md").read_text() == "edited\n"
