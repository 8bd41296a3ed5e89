"""`ask --write` lets a model propose changes of files.

`ask "Raise the fee." docs --write docs` prints the changes as a diff. They are made with `--apply`, or
if the user says yes in the terminal.
"""

from pathlib import Path

from controlplane.errors import ChangesProposed
from tests.controlplane.questions.asked_question import ask
from tests.support.command import CommandResult, run_in_process

# `harness.answer` submits the answer, with a function of the model that checks it.
ANSWER = """
scratchpad["answer"] = "It is done."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "done" in sp["answer"])
"""


def ask_to_change(folder: Path, script: str, *options: str) -> CommandResult:
    """Ask a model that replies with this script, and then says "It is done.".

    The script may read and write the files of `docs`, such as `/fees.md` for docs/fees.md.
    """
    return ask(
        folder,
        "--write",
        "docs",
        "--gates",
        "none",
        *options,
        script=script + ANSWER,
        question="Do it.",
    )


def folder_with_fee(tmp_path: Path) -> Path:
    """Return a folder with one file, docs/fees.md: "fee: 4"."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/fees.md").write_text("fee: 4\n")
    return tmp_path


def test_changes_are_proposed_as_a_diff_and_not_made(tmp_path: Path) -> None:
    """Nobody can be asked for consent here: this is not a terminal, and there is no `--apply`."""
    folder = folder_with_fee(tmp_path)

    proposed = ask_to_change(folder, 'harness.write("/fees.md", "fee: 7\\n")')

    assert proposed.code == ChangesProposed.exit_code, proposed.err
    assert (
        "\n\n--- docs/fees.md\n+++ docs/fees.md\n@@ -1 +1 @@\n-fee: 4\n+fee: 7\n"
    ) in proposed.out
    assert "\nproposed: " in proposed.out
    assert "changed: " not in proposed.out
    assert "nothing is written; ask with --apply" in proposed.err
    assert (folder / "docs/fees.md").read_text() == "fee: 4\n"


def test_changes_are_made_with_apply(tmp_path: Path) -> None:
    folder = folder_with_fee(tmp_path)
    (folder / "docs/old.md").write_text("old\n")

    applied = ask_to_change(
        folder,
        """
harness.write("/fees.md", "fee: 7\\n")
harness.write("/new/a.md", "new")
harness.delete("/old.md")
""",
        "--apply",
    )

    assert applied.code == 0, applied.err
    assert (folder / "docs/fees.md").read_text() == "fee: 7\n"
    assert (folder / "docs/new/a.md").read_text() == "new"
    assert not (folder / "docs/old.md").exists()
    report = "written: docs/fees.md, docs/new/a.md\ndeleted: docs/old.md\n"
    assert report in applied.err


def test_an_answer_with_changes_passes_the_gates(tmp_path: Path) -> None:
    """The script cites the file that it has written."""
    folder = folder_with_fee(tmp_path)
    script = """
harness.write("/fees.md", harness.read("/fees.md").content.replace("4", "7"))
scratchpad.cite("/fees.md", "written: the fee is 7")
scratchpad["answer"] = "The fee is 7."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "7" in sp["answer"])
"""

    applied = ask(
        folder, "--write", "docs", "--apply", script=script, question="Raise the fee."
    )

    assert applied.code == 0, applied.err
    assert (folder / "docs/fees.md").read_text() == "fee: 7\n"


def test_a_changed_file_keeps_its_permissions(tmp_path: Path) -> None:
    """Those of fees.md are for its owner alone."""
    folder = folder_with_fee(tmp_path)
    (folder / "docs/fees.md").chmod(0o600)

    ask_to_change(folder, 'harness.write("/fees.md", "fee: 7\\n")', "--apply")

    assert (folder / "docs/fees.md").read_text() == "fee: 7\n"
    permissions = (folder / "docs/fees.md").stat().st_mode & 0o777
    assert permissions == 0o600


def test_old_versions_of_changed_files_are_kept(tmp_path: Path) -> None:
    folder = folder_with_fee(tmp_path)

    applied = ask_to_change(folder, 'harness.write("/fees.md", "fee: 7\\n")', "--apply")

    assert "old versions, until the next change: runs/.old-versions; " in applied.err
    assert (folder / "runs/.old-versions/fees.md").read_text() == "fee: 4\n"


def test_a_file_that_is_written_as_it_is_already_is_no_change(tmp_path: Path) -> None:
    """Its text is the same but for the line ends, which are those of Windows."""
    folder = folder_with_fee(tmp_path)
    (folder / "docs/same.md").write_bytes(b"a\r\nb\r\n")

    proposed = ask_to_change(
        folder,
        """
harness.write("/same.md", "a\\nb\\n")
harness.write("/fees.md", "fee: 7\\n")
""",
    )

    assert proposed.code == ChangesProposed.exit_code, proposed.err
    assert "docs/fees.md" in proposed.out
    assert "docs/same.md" not in proposed.out


def test_a_script_cannot_write_to_a_symbolic_link(tmp_path: Path) -> None:
    """The link might lead out of the folder. The error names the file that it leads to."""
    folder = folder_with_fee(tmp_path)
    (folder / "docs/link.md").symlink_to("fees.md")

    asked = ask_to_change(
        folder,
        """
try:
    harness.write("/link.md", "x")
except HarnessError as error:
    print(error.message)
harness.write("/new.md", "new\\n")
""",
        "--apply",
    )

    assert asked.code == 0, asked.err  # The script has caught the error, and gone on.
    replayed = run_in_process("replay", "last", "--trial", "ask", "--json", cwd=folder)
    (step,) = replayed.json["steps"]
    assert "symbolic link" in step["output"]
    assert "fees.md" in step["output"]
    assert (folder / "docs/fees.md").read_text() == "fee: 4\n"
    assert (folder / "docs/new.md").read_text() == "new\n"
