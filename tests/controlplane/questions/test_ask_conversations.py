"""Several questions in a row, the later ones about the answer to the first.

`ask` without a question holds a conversation in the terminal, and `ask "and now?" --continue` goes
on with the last question of the folder. The model's script gets what was said before by
`harness.earlier()`, and may cite what the first question has read.
"""

from pathlib import Path

from controlplane import open_journal
from controlplane.journal.journal_reader import Journal
from tests.controlplane.questions.asked_question import (
    ANSWER,
    ANSWER_THAT_FILES_DO_NOT_SAY,
    ask,
    scripted_model,
)
from tests.support.command import run_in_process
from tests.support.endpoints import model_server, responding_in_turn
from tests.support.single_trial import step_reply
from tests.support.terminal import Terminal

ANSWER_FROM_A_PASSAGE = """
found = harness.search("until").matches[0]
scratchpad.cite(found.path, "the line on loan-02 names 2026-03-01", "until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["seen"] = "loan-02"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""
"""Cites a line that a search has shown, without reading the whole file."""
CHECK_EARLIER_QUESTION = """
earlier = harness.earlier()
assert "Until 2026-03-01." in earlier.shown
assert earlier.scratchpad.seen == "loan-02"
"""
"""Fails unless `harness.earlier()` returns the answer and the scratchpad of the question before."""
STILL_THE_SAME = """
scratchpad.cite("/loans.md", "the line on loan-02", "loan-02: kept")
scratchpad["answer"] = "Still until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""
"""Cites loans.md without reading it, because the question before has seen it."""


def ask_twice(folder: Path) -> tuple[Journal, Journal]:
    """Ask "Until when may loan-02 be kept?" and then "and now?". Return the journals of both.

    Both are answered "Until 2026-03-01.". The script of the second fails unless it knows the first.
    """
    first = ask(folder, "--json", script=ANSWER)
    # The model is still the file replies.toml, which gets another script here.
    scripted_model(folder, CHECK_EARLIER_QUESTION + ANSWER)

    words = ("ask", "and now?", "--continue", "--json")
    following = run_in_process(*words, cwd=folder)

    assert following.code == 0, following.out
    journals = (folder / first.json["journal"], folder / following.json["journal"])
    return open_journal(journals[0]), open_journal(journals[1])


class TestConversations:
    """The second question, "and now?", knows the first, "Until when may loan-02 be kept?".

    The scripted model replies with a script to each of them:

    first     searches "until" in the files, and answers "Until 2026-03-01."
    second    fails unless `harness.earlier()` has that answer, and answers "Still until 2026-03-01."

    `loan_folder` has docs/loans.md, which says that loan-02 is kept until 2026-03-01.
    """

    def test_ask_without_a_question_holds_a_conversation_in_the_terminal(
        self, loan_folder: Path
    ) -> None:
        """The user types two questions in the folder docs, and sees each call while it is made.

        The second answer cites a file of which the first question saw only a passage. The folder
        has an image, too, logo.png, which the user is told is left out.
        """
        replies = responding_in_turn(
            step_reply(ANSWER_FROM_A_PASSAGE),
            step_reply(CHECK_EARLIER_QUESTION + STILL_THE_SAME),
        )
        with model_server(replies) as server:
            words = ("ask", "--model", "m", "--base-url", server.url)
            with Terminal(*words, cwd=loan_folder / "docs") as terminal:
                # After each answer the prompt is there again: a question mark at the end.
                terminal.wait_for(r"\?\s*$")
                terminal.type("until when may loan-02 be kept?\r")
                terminal.wait_for(r"Until 2026-03-01[^?]*\?\s*$")
                terminal.type("and now?\r")
                terminal.wait_for(r"Still until 2026-03-01[^?]*\?\s*$")
                terminal.type("\r")  # An empty question ends the conversation.

                assert terminal.finish() == 0
                assert "  search until" in terminal.everything
                assert "skipped: binary (logo.png)" in terminal.everything

    def test_a_continued_question_names_the_run_of_the_one_before(
        self, loan_folder: Path
    ) -> None:
        """`--continue` asks the model and the files of the last question."""
        first, following = ask_twice(loan_folder)

        parent = following.opened.parent
        assert parent is not None
        assert parent.how == "continue"
        assert parent.run == first.run
        assert run_in_process("replay", "last", "--verify", cwd=loan_folder).code == 0

    def test_a_continued_question_waits_as_short_for_a_failing_model_as_the_first(
        self, loan_folder: Path
    ) -> None:
        """The setting `model_patience` of a question is 30 s. It is longer for a run of a benchmark,
        beside which nobody sits and waits."""
        _, following = ask_twice(loan_folder)

        assert following.setting("model_patience") == 30.0


CITE_WITHOUT_READING = """
try:
    scratchpad.cite("/loans.md", "the line on loan-02", "loan-02")
    print("cited")
except CitationError:
    print("not read")
"""
"""Tries to cite loans.md without reading it, which is an error unless it was read before."""


def output_of_citing_without_reading(folder: Path) -> str:
    """Continue the last question with `CITE_WITHOUT_READING`, and return what the script prints.

    The script then answers that the files do not say it, so that the question ends.
    """
    replies = scripted_model(
        folder, CITE_WITHOUT_READING + ANSWER_THAT_FILES_DO_NOT_SAY
    )
    run_in_process("ask", "Which zeppelin?", "--continue", *replies, cwd=folder)

    replayed = run_in_process("replay", "last", "--trial", "ask", "--json", cwd=folder)
    first_step = replayed.json["steps"][0]
    output: str = first_step["output"]
    return output


class TestFilesReadBefore:
    """The next question may cite a file that the first one has read, unless it changed.

    A script may cite only what was read. This one cites loans.md without reading it. It is the
    file docs/loans.md of `loan_folder`.
    """

    def test_a_cited_file_counts_as_read_in_the_next_question(
        self, loan_folder: Path
    ) -> None:
        """The first question reads and cites loans.md, so the next one may cite it at once."""
        ask(loan_folder)

        assert output_of_citing_without_reading(loan_folder).startswith("cited\n")

    def test_a_cited_file_that_has_changed_does_not_count_as_read_in_the_next_question(
        self, loan_folder: Path
    ) -> None:
        """The first question reads and cites loans.md, which is edited before the next one."""
        ask(loan_folder)
        (loan_folder / "docs/loans.md").write_text("wholly other words\n")

        assert output_of_citing_without_reading(loan_folder).startswith("not read\n")
