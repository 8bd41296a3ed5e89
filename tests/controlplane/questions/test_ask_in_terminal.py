"""`controlplane ask` without a question holds a conversation in the terminal.

? until when may loan-02 be kept?     what the user types
  search until                        each call of the model's script, while it is made
Until 2026-03-01 [1].                 the answer, with a citation
?

The model replies to each question with a script, which calls `harness.answer`.
"""

from pathlib import Path

from tests.support.endpoints import model_server, responding_in_turn
from tests.support.single_trial import step_reply
from tests.support.terminal import Terminal

FIRST_REPLY = step_reply("""
found = harness.search("until").matches[0]
scratchpad.cite(found.path, "the line on loan-02 names 2026-03-01", "until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["seen"] = "loan-02"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
""")

SECOND_REPLY = step_reply("""
assert "Until 2026-03-01." in harness.earlier().shown
assert harness.earlier().scratchpad.seen == "loan-02"
scratchpad.cite("/loans.md", "the line on loan-02", "loan-02: kept")
scratchpad["answer"] = "Still until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
""")
"""The script of the second question uses what the first has left: its answer, its scratchpad, and
the file that it has cited. So it may cite `/loans.md` without reading the file."""


def test_ask_without_a_question_holds_a_conversation_in_the_terminal(
    tmp_path: Path,
) -> None:
    """The model's second reply needs what its first reply has left."""
    (tmp_path / "loans.md").write_text("loan-02: kept until 2026-03-01.\n")
    (tmp_path / "logo.png").write_bytes(b"\0")

    with model_server(responding_in_turn(FIRST_REPLY, SECOND_REPLY)) as server:
        words = ("ask", "--model", "m", "--base-url", server.url)
        with Terminal(*words, cwd=tmp_path) as terminal:
            # After each answer the prompt is there again: a question mark at the end.
            terminal.wait_for(r"\?\s*$")
            terminal.type("until when may loan-02 be kept?\r")
            terminal.wait_for(r"Until 2026-03-01[^?]*\?\s*$")
            terminal.type("and now?\r")
            terminal.wait_for(r"Still until 2026-03-01[^?]*\?\s*$")
            terminal.type("\r")  # An empty question ends the conversation.

            assert terminal.finish() == 0
            assert "  search until" in terminal.everything
            # A folder may have files that cannot be asked about.
            assert "skipped: binary (logo.png)" in terminal.everything
