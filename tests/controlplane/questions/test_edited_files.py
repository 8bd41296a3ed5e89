"""The user edits a file while a model changes it: the file is left alone, and the command fails.

The other changes are made.
"""

import socket
from pathlib import Path

from tests.controlplane.questions.asked_question import (
    A_QUESTION_FAILED,
    scripted_model,
)
from tests.support.command import run_in_process
from tests.support.endpoints import (
    ModelHttpRequest,
    completion_json,
    http_response,
    model_server,
)
from tests.support.single_trial import step_reply
from tests.support.terminal import Terminal

CHANGE_FEE = """
harness.read("/fees.md")
harness.write("/fees.md", "fee: 7\\n")
"""
DELETE_OLD_AND_ANSWER = """
harness.delete("/old.md")
scratchpad["answer"] = "It is done."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "done" in sp["answer"])
"""


def docs_with_two_files(tmp_path: Path) -> Path:
    """Return the folder `docs` with fees.md, which is to be changed, and old.md, to be deleted."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "fees.md").write_text("fee: 4\n")
    (docs / "old.md").write_text("old\n")
    return docs


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


def test_a_file_that_is_edited_after_a_script_read_it_is_not_changed(
    tmp_path: Path,
) -> None:
    docs = docs_with_two_files(tmp_path)

    def reply(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        """Reply with the first script; edit the file and reply with the second one."""
        script = CHANGE_FEE
        is_first_request = len(server.asked) == 1
        if not is_first_request:
            (docs / "fees.md").write_text("edited\n")
            script = DELETE_OLD_AND_ANSWER
        return http_response(200, completion_json(step_reply(script)))

    words = ("ask", "Do it.", "docs", "--write", "docs", "--gates", "none", "--apply")
    with model_server(reply) as server:
        asked = run_in_process(
            *words, "--model", "m", cwd=tmp_path, OPENAI_BASE_URL=server.url
        )

    assert asked.code == A_QUESTION_FAILED, asked.err + asked.out
    assert "fees.md: it was changed while the question was answered" in asked.err
    assert (docs / "fees.md").read_text() == "edited\n"
    assert not (docs / "old.md").exists()
