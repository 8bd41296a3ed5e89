"""A file that the user edits after a script of `ask --write` has read it is left alone.

The model is a server, which edits docs/fees.md between its two replies. The other change is made, and
the command fails.
"""

import socket
from pathlib import Path

from tests.controlplane.questions.asked_question import A_QUESTION_FAILED
from tests.controlplane.questions.edited_files.two_files import (
    CHANGE_FEE,
    DELETE_OLD_AND_ANSWER,
    docs_with_two_files,
)
from tests.support.command import run_in_process
from tests.support.endpoints import (
    ModelHttpRequest,
    completion_json,
    http_response,
    model_server,
)
from tests.support.single_trial import step_reply


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
