"""`ask --write` lets a model propose changes of files, and `undo` takes them back.

`ask "Extend loan-02." docs --write docs` prints the changes as a diff. They are made if the user
says yes in the terminal, or with `--apply`. A file that somebody edits meanwhile is left alone.
"""

import socket
from pathlib import Path

import pytest

from controlplane.errors import ChangesProposed
from tests.controlplane.questions.asked_question import (
    A_QUESTION_FAILED,
    ask,
    scripted_model,
)
from tests.support.command import CommandResult, run_in_process
from tests.support.endpoints import (
    ModelHttpRequest,
    completion_json,
    http_response,
    model_server,
)
from tests.support.single_trial import step_reply
from tests.support.terminal import Terminal

REQUEST = "Extend loan-02 to 2026-05-01, write new/a.md and same.md, and delete old.md."
CHANGE_FILES = """
harness.write("/same.md", "a\\nb\\n")
text = harness.read("/loans.md").content
harness.write("/loans.md", text.replace("03-01", "05-01"))
harness.write("/new/a.md", "new")
harness.delete("/old.md")
scratchpad.cite("/loans.md", "written: loan-02 until 2026-05-01")
scratchpad["answer"] = "loan-02 is kept until 2026-05-01, new/a.md is written, and old.md is deleted; same.md is written."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "05-01" in sp["answer"])
"""
"""The model's script: three changes, and a file that is written as it is already, same.md."""
UNDO_FAILED = 1
"""The exit code of `undo` if it could not undo the changes."""


@pytest.fixture
def changeable_folder(loan_folder: Path) -> Path:
    """The folder with old.md, same.md, and a loans.md that only its owner may read."""
    docs = loan_folder / "docs"
    (docs / "old.md").write_text("old\n")
    # The script writes this text with "\n"; with the line ends of the file it is the same.
    (docs / "same.md").write_bytes(b"a\r\nb\r\n")
    (docs / "loans.md").chmod(0o600)
    return loan_folder


def ask_for_changes(folder: Path, *options: str) -> CommandResult:
    """Ask a model that replies with `CHANGE_FILES`, and may change files of docs."""
    all_options = ("--write", "docs", *options)
    return ask(folder, *all_options, script=CHANGE_FILES, question=REQUEST)


def test_changes_are_proposed_as_a_diff_and_not_made(changeable_folder: Path) -> None:
    """Nobody can be asked for consent here: this is not a terminal, and there is no `--apply`.

    The file that would be written as it is already, same.md, is no change.
    """
    proposed = ask_for_changes(changeable_folder)

    assert proposed.code == ChangesProposed.exit_code, proposed.err
    assert "\n\n--- docs/loans.md\n+++ docs/loans.md\n@@" in proposed.out
    assert "+  until 2026-05-01." in proposed.out
    assert "docs/same.md" not in proposed.out
    assert "\nproposed: " in proposed.out
    assert "changed: " not in proposed.out
    assert "nothing is written; ask with --apply" in proposed.err
    assert "2026-03-01" in (changeable_folder / "docs/loans.md").read_text()


def test_changes_are_made_with_apply_and_old_versions_kept(
    changeable_folder: Path,
) -> None:
    """A changed file keeps its permissions: those of loans.md are for its owner alone."""
    docs = changeable_folder / "docs"

    applied = ask_for_changes(changeable_folder, "--apply")

    assert applied.code == 0, applied.err
    assert "2026-05-01" in (docs / "loans.md").read_text()
    assert (docs / "new/a.md").read_text() == "new"
    assert not (docs / "old.md").exists()
    permissions = (docs / "loans.md").stat().st_mode & 0o777
    assert permissions == 0o600
    report = "written: docs/loans.md, docs/new/a.md\ndeleted: docs/old.md\n"
    assert report in applied.err

    assert "old versions, until the next change: runs/.old-versions; " in applied.err
    old_version = changeable_folder / "runs/.old-versions/loans.md"
    assert "2026-03-01" in old_version.read_text()


def test_undo_proposes_the_reverse_changes(changeable_folder: Path) -> None:
    """Like `ask`, `undo` makes changes only with `--apply`."""
    ask_for_changes(changeable_folder, "--apply")

    proposed = run_in_process("undo", cwd=changeable_folder)

    assert proposed.code == ChangesProposed.exit_code
    assert "-  until 2026-05-01." in proposed.out
    assert "--apply undoes" in proposed.err


def test_undo_with_apply_restores_the_files_and_a_second_undo_changes_them_again(
    changeable_folder: Path,
) -> None:
    """A deleted file comes back, and a new one is removed."""
    docs = changeable_folder / "docs"
    ask_for_changes(changeable_folder, "--apply")

    assert run_in_process("undo", "--apply", cwd=changeable_folder).code == 0
    assert "2026-03-01" in (docs / "loans.md").read_text()
    assert (docs / "old.md").read_text() == "old\n"
    assert not (docs / "new/a.md").exists()

    assert run_in_process("undo", "--apply", cwd=changeable_folder).code == 0
    assert (docs / "new/a.md").read_text() == "new"


def test_undo_is_refused_if_a_file_was_edited_since(changeable_folder: Path) -> None:
    """Nothing is undone then, not even for the other files, such as new/a.md."""
    docs = changeable_folder / "docs"
    ask_for_changes(changeable_folder, "--apply")
    (docs / "loans.md").write_text("edited\n")

    refused = run_in_process("undo", "--apply", cwd=changeable_folder)

    assert refused.code == UNDO_FAILED
    assert "docs/loans.md: it was changed since: nothing is undone" in refused.err
    assert (docs / "new/a.md").exists()


def test_undo_knows_only_changes_by_runs_in_its_folder(changeable_folder: Path) -> None:
    """Changes are remembered beside the journals of their runs, here in the folder `runs`."""
    ask_for_changes(changeable_folder, "--apply")

    refused = run_in_process("undo", "--runs-dir", "elsewhere", cwd=changeable_folder)

    assert "there is no change to undo" in refused.err


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


def test_a_script_cannot_write_to_a_symbolic_link(loan_folder: Path) -> None:
    """The link might lead out of the folder. The error names the file that it leads to."""
    (loan_folder / "docs/link.md").symlink_to("loans.md")
    options = ("--write", "docs", "--gates", "none", "--apply")

    asked = ask(loan_folder, *options, script=WRITE_TO_A_LINK, question="Write new.md.")

    assert asked.code == 0, asked.err
    replayed = run_in_process(
        "replay", "last", "--trial", "ask", "--json", cwd=loan_folder
    )
    (step,) = replayed.json["steps"]
    assert "symbolic link" in step["output"]
    assert "loans.md" in step["output"]
    assert (loan_folder / "docs/new.md").read_text() == "new\n"


APPEND_A_LINE = """
text = harness.read("/old.txt").content
harness.write("/old.txt", text + "Fünf Äpfel\\n")
scratchpad["answer"] = "old.txt is extended by one line."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad.cite("/old.txt", "the price list", "Preis: 3")
harness.answer(scratchpad, lambda sp: "old.txt" in sp["answer"])
"""
"""Writes the whole text of old.txt with a new line at its end, as the only way to change a file."""
ORIGINAL_TEXT = "Grüße aus München\r\nPreis: 3 €\r\n"
"""Two lines of old.txt, with the line ends of Windows."""


def lines_of_diff(text: str) -> list[str]:
    """Return the added and removed lines of the diff in a text, such as `["-old", "+new"]`."""
    lines = []
    for line in text.splitlines():
        is_file_header = line.startswith(("---", "+++"))
        if line.startswith(("+", "-")) and not is_file_header:
            lines.append(line)
    return lines


@pytest.mark.parametrize(
    ("encoding", "byte_order_mark", "printed_form"),
    [
        ("cp1252", b"", "cp1252, CRLF"),
        ("utf-8", b"\xef\xbb\xbf", "utf-8 with a byte-order mark, CRLF"),
        ("utf-16-le", b"\xff\xfe", "utf-16-le with a byte-order mark, CRLF"),
        ("utf-16-be", b"", "utf-16-be, CRLF"),
    ],
)
def test_a_changed_file_keeps_its_encoding_and_the_bytes_of_other_lines(
    encoding: str, byte_order_mark: bytes, printed_form: str, loan_folder: Path
) -> None:
    """Scripts read and write text with "\\n"; the file has "\\r\\n" (CRLF) and its own encoding."""
    path = loan_folder / "docs/old.txt"
    original_bytes = byte_order_mark + ORIGINAL_TEXT.encode(encoding)
    path.write_bytes(original_bytes)

    options = ("--write", "docs", "--apply")
    request = "Append a line to old.txt."
    asked = ask(loan_folder, *options, script=APPEND_A_LINE, question=request)

    assert asked.code == 0, asked.err
    assert path.read_bytes() == original_bytes + "Fünf Äpfel\r\n".encode(encoding)
    assert f"({printed_form})\n" in asked.out
    assert lines_of_diff(asked.out) == ["+Fünf Äpfel"]


def test_a_file_that_is_edited_before_the_user_consents_is_not_changed(
    changeable_folder: Path,
) -> None:
    """The terminal shows the changes and asks. Then old.md, which is to be deleted, is edited,
    and the user says yes: old.md stays as it is, and the other files are changed."""
    docs = changeable_folder / "docs"
    model = scripted_model(changeable_folder, CHANGE_FILES)
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


READ_AND_CHANGE_LOANS = """
text = harness.read("/loans.md").content
harness.write("/loans.md", text.replace("03-01", "05-01"))
"""
"""The model's first script, which does not answer yet."""


def test_a_file_that_is_edited_after_a_script_read_it_is_not_changed(
    changeable_folder: Path,
) -> None:
    """The first script reads and changes loans.md. Before the second one, the user edits the file,
    so loans.md stays as the user wants it, and old.md is deleted as the script wants it."""
    docs = changeable_folder / "docs"

    def reply(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        """Reply with the first script; edit the file and reply with the second one."""
        script = READ_AND_CHANGE_LOANS
        is_first_request = len(server.asked) == 1
        if not is_first_request:
            (docs / "loans.md").write_text("edited\n")
            script = CHANGE_FILES
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
