"""`ask --write` lets a model propose changes of files.

`ask "Extend loan-02." docs --write docs` prints the changes as a diff. They are made if the user
says yes in the terminal, or with `--apply`. A file that somebody edits meanwhile is left alone.
"""

import socket
from pathlib import Path

from controlplane.errors import ChangesProposed
from tests.controlplane.questions.asked_changes import (
    REQUEST,
    ask_for_changes,
    script_with_changes,
)
from tests.controlplane.questions.asked_question import (
    A_QUESTION_FAILED,
    ask,
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


class TestProposedChanges:
    """Three changes are proposed as a diff, and made only with `--apply`.

    The model replaces a date in docs/loans.md, writes docs/new/a.md, and deletes docs/old.md, all
    below `changeable_folder`.
    """

    def test_changes_are_proposed_as_a_diff_and_not_made(
        self, changeable_folder: Path
    ) -> None:
        """Nobody can be asked for consent here: this is not a terminal, and there is no
        `--apply`."""
        proposed = ask_for_changes(changeable_folder)

        assert proposed.code == ChangesProposed.exit_code, proposed.err
        assert "\n\n--- docs/loans.md\n+++ docs/loans.md\n@@" in proposed.out
        assert "+  until 2026-05-01." in proposed.out
        assert "\nproposed: " in proposed.out
        assert "changed: " not in proposed.out
        assert "nothing is written; ask with --apply" in proposed.err
        assert "2026-03-01" in (changeable_folder / "docs/loans.md").read_text()

    def test_changes_are_made_with_apply(self, changeable_folder: Path) -> None:
        docs = changeable_folder / "docs"

        applied = ask_for_changes(changeable_folder, "--apply")

        assert applied.code == 0, applied.err
        assert "2026-05-01" in (docs / "loans.md").read_text()
        assert (docs / "new/a.md").read_text() == "new"
        assert not (docs / "old.md").exists()
        report = "written: docs/loans.md, docs/new/a.md\ndeleted: docs/old.md\n"
        assert report in applied.err

    def test_a_changed_file_keeps_its_permissions(
        self, changeable_folder: Path
    ) -> None:
        """Those of loans.md are for its owner alone."""
        ask_for_changes(changeable_folder, "--apply")

        permissions = (changeable_folder / "docs/loans.md").stat().st_mode & 0o777
        assert permissions == 0o600

    def test_old_versions_of_changed_files_are_kept(
        self, changeable_folder: Path
    ) -> None:
        applied = ask_for_changes(changeable_folder, "--apply")

        assert (
            "old versions, until the next change: runs/.old-versions; " in applied.err
        )
        old_version = changeable_folder / "runs/.old-versions/loans.md"
        assert "2026-03-01" in old_version.read_text()


WRITE_THE_SAME_TEXT = """
harness.write("/same.md", "a\\nb\\n")
"""
"""The text that same.md has already, but for the line ends, which are those of Windows."""


WRITE_TO_A_LINK = """
harness.read("/loans.md")
try:
    harness.write("/link.md", "x")
except HarnessError as error:
    print(error.message)
harness.write("/new.md", "new\\n")
scratchpad["answer"] = "new.md is written."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["changes"] = ["/new.md"]
harness.answer(scratchpad, lambda sp: "new.md" in sp["answer"])
"""
"""Tries to write to link.md, prints the error, and writes new.md."""


class TestOddChanges:
    """A script writes what is there already, or to a symbolic link.

    The files are below `docs`, which the option `--write docs` lets scripts change. Both
    folders have docs/loans.md, and `changeable_folder` also docs/old.md, which is to be
    deleted.
    """

    def test_a_file_that_is_written_as_it_is_already_is_no_change(
        self, changeable_folder: Path
    ) -> None:
        """Other files are changed, so that there is a diff."""
        (changeable_folder / "docs/same.md").write_bytes(b"a\r\nb\r\n")
        script = WRITE_THE_SAME_TEXT + script_with_changes()

        proposed = ask(
            changeable_folder, "--write", "docs", script=script, question=REQUEST
        )

        assert proposed.code == ChangesProposed.exit_code, proposed.err
        assert "docs/same.md" not in proposed.out

    def test_a_script_cannot_write_to_a_symbolic_link(self, loan_folder: Path) -> None:
        """The link might lead out of the folder. The error names the file that it leads to."""
        (loan_folder / "docs/link.md").symlink_to("loans.md")
        options = ("--write", "docs", "--gates", "none", "--apply")

        asked = ask(
            loan_folder, *options, script=WRITE_TO_A_LINK, question="Write new.md."
        )

        assert asked.code == 0, asked.err
        replayed = run_in_process(
            "replay", "last", "--trial", "ask", "--json", cwd=loan_folder
        )
        (step,) = replayed.json["steps"]
        assert "symbolic link" in step["output"]
        assert "loans.md" in step["output"]
        assert (loan_folder / "docs/new.md").read_text() == "new\n"


READ_AND_CHANGE_LOANS = """
text = harness.read("/loans.md").content
harness.write("/loans.md", text.replace("03-01", "05-01"))
"""
"""The model's first script, which does not answer yet."""


class TestEditedFiles:
    """The user edits a file between its reading and the change: the file is left alone.

    The other changes are made, and the command fails. The files are in `changeable_folder`:
    docs/loans.md is to be changed, and docs/old.md deleted. `REQUEST` asks for these changes.
    """

    def test_a_file_that_is_edited_before_the_user_consents_is_not_changed(
        self, changeable_folder: Path
    ) -> None:
        """The terminal shows the changes and asks. Then old.md, which is to be deleted, is edited,
        and the user says yes: old.md stays as it is, and the other files are changed."""
        docs = changeable_folder / "docs"
        model = scripted_model(changeable_folder, script_with_changes())
        words = ("ask", REQUEST, "docs", "--write", "docs", *model)

        with Terminal(*words, cwd=changeable_folder) as terminal:
            terminal.wait_for(r"Make these changes\?")
            (docs / "old.md").write_text("edited\n")
            terminal.type("y\r")
            assert terminal.finish() == A_QUESTION_FAILED
            printed = terminal.everything.replace("\n", "")  # The terminal wraps lines.
            assert "old.md: it was changed meanwhile" in printed

        assert "2026-05-01" in (docs / "loans.md").read_text()
        assert (docs / "old.md").read_text() == "edited\n"
        assert (docs / "new/a.md").read_text() == "new"

    def test_a_file_that_is_edited_after_a_script_read_it_is_not_changed(
        self, changeable_folder: Path
    ) -> None:
        """The first script reads and changes loans.md. Before the second one, the user edits the
        file, so loans.md stays as the user wants it, and old.md is deleted as the script wants
        it."""
        docs = changeable_folder / "docs"

        def reply(request: ModelHttpRequest, connection: socket.socket) -> bytes:
            """Reply with the first script; edit the file and reply with the second one."""
            script = READ_AND_CHANGE_LOANS
            is_first_request = len(server.asked) == 1
            if not is_first_request:
                (docs / "loans.md").write_text("edited\n")
                script = script_with_changes()
            return http_response(200, completion_json(step_reply(script)))

        words = ("ask", REQUEST, "docs", "--write", "docs", "--apply", "--model", "m")
        with model_server(reply) as server:
            asked = run_in_process(
                *words, cwd=changeable_folder, OPENAI_BASE_URL=server.url
            )

        assert asked.code == A_QUESTION_FAILED, asked.err + asked.out
        assert "loans.md: it was changed while the question was answered" in asked.err
        assert (docs / "loans.md").read_text() == "edited\n"
        assert not (docs / "old.md").exists()
