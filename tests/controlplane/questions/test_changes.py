"""`ask` answers questions from the user's files, and changes files only as the user has agreed.

An answer comes with the lines that support it, or a warning. With `--write`, changes are proposed
as a diff, made with `--apply`, and taken back by `undo`. A file that was edited meanwhile is left
alone, and all other bytes of a changed file stay. A question is recorded as a run, which can be
replayed, resumed, forked and saved as a task.
"""

import json
import re
import socket
import threading
from codecs import BOM_UTF8, BOM_UTF16_LE
from pathlib import Path

import pytest

from controlplane.errors import (
    BudgetExhausted,
    ChangesProposed,
    Unreachable,
    UsageError,
)
from tests.controlplane.questions.asked_question import (
    A_QUESTION_FAILED,
    ANSWER,
    ANSWER_THAT_FILES_DO_NOT_SAY,
    QUESTION,
    ask,
    scripted_model,
    write_files,
)
from tests.support.command import (
    PATIENCE_S,
    CommandResult,
    check_error_line,
    run_in_process,
)
from tests.support.phonebook_model import (
    ModelHttpRequest,
    completion_json,
    http_response,
    model_server,
    responding_in_turn,
)
from tests.support.single_trial import step_reply
from tests.support.terminal import Terminal

# Runs `ask --write` in a test, with a model that changes three files.
#
# `ask_for_changes(folder, "--apply")` asks it to, for the files of the fixture `changeable_folder`:
#
#     docs/loans.md    says "until 2026-03-01", then "until 2026-05-01"
#     docs/new/a.md    is new, with the text "new"
#     docs/old.md      is deleted

REQUEST = "Extend loan-02 to 2026-05-01, write new/a.md, and delete old.md."


def script_with_changes(new_file: str = "/new/a.md") -> str:
    """Return a script of a model that makes the three changes, and answers.

    `harness` has the calls to the files, and `harness.answer` submits what the scratchpad has.
    """
    return f"""
text = harness.read("/loans.md").content
harness.write("/loans.md", text.replace("03-01", "05-01"))
harness.write("{new_file}", "new")
harness.delete("/old.md")
scratchpad.cite("/loans.md", "written: loan-02 until 2026-05-01")
scratchpad["answer"] = "loan-02 is kept until 2026-05-01, {new_file} is written, and old.md is deleted."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "05-01" in sp["answer"])
"""


def ask_for_changes(folder: Path, *options: str) -> CommandResult:
    """Ask a model that replies with that script, and may change files of docs."""
    all_options = ("--write", "docs", *options)
    script = script_with_changes()
    return ask(folder, *all_options, script=script, question=REQUEST)


# Asks a model to change files, of which docs/fees.md says "fee: 4".
#
#     folder = folder_with_fee(tmp_path)
#     ask_to_change(folder, 'harness.write("/fees.md", "fee: 7\n")', "--apply")
#
# The model replies with the script, and then says "It is done.".

# `harness.answer` submits the answer, with a function of the model that checks it.
FEE_CHANGES_ANSWER = """
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
        script=script + FEE_CHANGES_ANSWER,
        question="Do it.",
    )


def folder_with_fee(tmp_path: Path) -> Path:
    """Return a folder with one file, docs/fees.md: "fee: 4"."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/fees.md").write_text("fee: 4\n")
    return tmp_path


# A model that answers with prose in place of a script, and a check that prose is not an answer.
#
#     result, requests = ask_model(folder, PROSE, step_reply(ANSWER))
#
# The model replies with prose, and then with a script. `result` is what `ask --json` printed.

NO_CODE = '{"state": "an object without code"}'


PROSE = "Until 2026-03-01 (docs/loans.md:4). OUTCOME_OK"


def ask_model(folder: Path, *replies: str) -> tuple[CommandResult, int]:
    """Ask a model that gives these replies in turn, however it is asked.

    Return what `ask --json` printed, and how many requests the model got.
    """
    options = ("--model", "m", "--reply-mode", "text", "--json")
    with model_server(responding_in_turn(*replies)) as server:
        endpoint = {"OPENAI_BASE_URL": server.url}
        result = run_in_process(
            "ask", QUESTION, "docs", *options, cwd=folder, **endpoint
        )
        return result, len(server.asked)


def check_prose_is_not_submitted(result: CommandResult, folder: Path) -> None:
    """Assert that `PROSE` is not the answer, and that no gate (a check of submitted answers) has
    judged it. The verdicts of the gates are in the recorded steps of the question."""
    assert PROSE not in result.json["answer"]
    replayed = run_in_process("replay", "last", "--trial", "ask", "--json", cwd=folder)
    for step in replayed.json["steps"]:
        assert PROSE not in str(step["verdicts"])
    assert run_in_process("replay", "last", "--verify", cwd=folder).code == 0


# A folder with a file to change and a file to delete, and the scripts of a model that do so.
#
# For example:
#
#     docs = docs_with_two_files(tmp_path)
#     (docs / "fees.md").read_text()    ->    "fee: 4\n"

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


# A script of a model that cites the line on loan-02, and answers.
#
# For example:
#
#     script_with_answer("Until 2026-03-01.")


def script_with_answer(answer: str) -> str:
    """Return a script that cites the line on loan-02, and answers."""
    return f"""
found = harness.read(harness.search("loan-02").matches[0].path)
scratchpad.cite(found.path, "the line on loan-02 names 2026-03-01", "Kept  until 2026-03-01")
scratchpad["answer"] = "{answer}"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: len(sp["answer"]) > 3)
"""


# A task that `ask --save-task t` has saved, played by another model.


def score_of_saved_task(folder: Path, script: str) -> float:
    """Play the task in the folder `t` with a model that replies with this script, and return the
    score, such as 1.0.

    A check of answers may send an answer back up to twice, so the model has the script three times.
    """
    replies = scripted_model(folder, script, script, script)
    run = ("run", "--benchmark", "folder:t", *replies, "--json")
    played = run_in_process(*run, cwd=folder)
    (trial,) = played.json["trials"]
    score: float = trial["score"]
    return score


# An answer of `ask` that cites an old version of a file comes with a note about the newer one.
#
# By their names, loans-2025.md is a newer version of loans-2023.md.

CITE_OLD_VERSION = """
harness.read("/loans-2023.md")
scratchpad.cite("/loans-2023.md", "the line on loan-02 names 2026-03-01", "kept until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""


def test_a_citation_of_an_old_version_comes_with_a_note(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "docs/loans-2023.md": "- loan-02: kept until 2026-03-01.\n",
            "docs/loans-2025.md": "- loan-02: kept until 2026-03-01.\n",
        },
    )

    asked = ask(tmp_path, script=CITE_OLD_VERSION)

    assert (
        "(There is a newer version of docs/loans-2023.md: docs/loans-2025.md)"
    ) in asked.out


def test_a_citation_of_an_old_version_and_the_newer_one_has_no_note(
    tmp_path: Path,
) -> None:
    """The reader sees both versions."""
    write_files(
        tmp_path,
        {
            "docs/loans-2023.md": "- loan-02: kept until 2026-03-01.\n",
            "docs/loans-2025.md": "- loan-02: kept until 2026-03-01.\n",
        },
    )
    cite_new_version = """
harness.read("/loans-2025.md")
scratchpad.cite("/loans-2025.md", "the line on loan-02")
"""

    asked = ask(tmp_path, script=cite_new_version + CITE_OLD_VERSION)

    assert asked.code == 0, asked.err
    assert "newer version" not in asked.out


# Of a quoted passage of two lines, a footnote names the line of the value, a citation the first.
#
# The model answers "Until 2026-03-01." and quotes "Kept  until 2026-03-01" for this value, a date. In
# the file docs/loans.md, the passage begins in line 2, and the date is in line 3:
#
#     1   until 2026-03-01: loan-07
#     2   - loan-02: kept
#     3     until 2026-03-01.

LOANS = "until 2026-03-01: loan-07\n- loan-02: kept\n  until 2026-03-01.\n"

ANSWER_WITH_PASSAGE = """
harness.read("/loans.md")
scratchpad.cite("/loans.md", "the line on loan-02 names 2026-03-01", "Kept  until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""
"""A script of the model, for which the folder docs is `/`. Its quotation has another capital letter
and other blanks than the file. The lambda is a check of the answer, which the product wants."""


def test_a_footnote_names_the_line_of_the_value_inside_the_passage(
    tmp_path: Path,
) -> None:
    write_files(tmp_path, {"docs/loans.md": LOANS})

    asked = ask(tmp_path, script=ANSWER_WITH_PASSAGE)

    assert asked.out.startswith(
        "Until 2026-03-01 [1].\n"
        "\n"
        "  [1] docs/loans.md:3\n"  # the date
        "\n"
        "  docs/loans.md:2\n"  # the lines with the quotation
        "    > - loan-02: kept\n"
        "    > until 2026-03-01.\n"
    )


def test_a_citation_as_json_names_the_line_in_which_the_passage_begins(
    tmp_path: Path,
) -> None:
    write_files(tmp_path, {"docs/loans.md": LOANS})

    asked = ask(tmp_path, "--json", script=ANSWER_WITH_PASSAGE)

    assert asked.err == ""
    assert asked.json["status"] == "answered"
    assert asked.json["citations"] == [
        {
            "path": "docs/loans.md",
            "line": 2,
            "quote": "- loan-02: kept\n  until 2026-03-01.",  # as it was read
            "reason": "the line on loan-02 names 2026-03-01",
        }
    ]


# `ask` answers a question from the files of a folder, and prints the line that says it.
#
#     controlplane ask "Until when may loan-02 be kept?" docs
#
# lets a model write scripts that search and read the files. It prints "Until 2026-03-01 [1].", and the
# path, the line and the passage of footnote 1. The models in these tests reply with fixed scripts.


def test_the_answer_is_printed_with_path_line_and_passage(tmp_path: Path) -> None:
    write_files(tmp_path, {"docs/loans.md": "- loan-02: kept until 2026-03-01.\n"})

    asked = ask(tmp_path, sources=("docs",))

    assert asked.code == 0, asked.err
    assert asked.out.startswith(
        "Until 2026-03-01 [1].\n"
        "\n"
        "  [1] docs/loans.md:1, under loan-02\n"
        "\n"
        "  docs/loans.md:1\n"
        "    > - loan-02: kept until 2026-03-01.\n"
    )


# A citation's reason is in the model's words, so it is never shown as if the file had it.

CITED_BY_REASON = """
print(harness.read("/loans.md").content)
scratchpad["answer"] = ANSWER
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad.cite("/loans.md", "loan-02 may be kept by all members for ever")
harness.answer(scratchpad, lambda sp: len(sp["answer"]) > 3)
"""


def test_without_a_quotation_the_lines_with_the_values_of_the_answer_are_shown(
    tmp_path: Path,
) -> None:
    write_files(tmp_path, {"docs/loans.md": "# Loans\n- loan-02: until 2026-03-01.\n"})
    script = CITED_BY_REASON.replace("ANSWER", '"Until 2026-03-01."', 1)

    asked = ask(tmp_path, script=script)

    assert "  docs/loans.md:2\n    > - loan-02: until 2026-03-01.\n" in asked.out
    assert "for ever" not in asked.out


def test_a_reason_without_a_passage_is_shown_as_the_words_of_the_model(
    tmp_path: Path,
) -> None:
    """No value and no quotation leads to the file. With `--strict`, that is an error."""
    write_files(tmp_path, {"docs/loans.md": "# Loans\n- loan-02: until 2026-03-01.\n"})
    script = CITED_BY_REASON.replace("ANSWER", '"All members may keep it."', 1)

    asked = ask(tmp_path, "--strict", script=script)

    assert asked.code == 1
    assert "    > " not in asked.out
    assert (
        "  docs/loans.md\n"
        "    (no passage; the model says: loan-02 may be kept by all members for ever)\n"
        "\n"
        "(No passage that was read supports this answer.)\n"
    ) in asked.out


def test_how_a_value_was_judged_is_said_in_a_few_lines(tmp_path: Path) -> None:
    """Under the answer, and later without a question, of the last answer."""
    write_files(tmp_path, {"docs/loans.md": "# Loans\n- loan-02: until 2026-03-01.\n"})
    script = CITED_BY_REASON.replace("ANSWER", '"Until 2026-03-01."', 1).replace(
        "may be kept by all members for ever", "is kept until 2026-03-01"
    )
    trace = (
        "2026-03-01: date 2026-03-01\n"
        "read: docs/loans.md:2 `- loan-02: until 2026-03-01.`\n"
        "question: does not state it\n"
        "mark: found: docs/loans.md:2, under loan-02\n"
        "citation of docs/loans.md: its reason names it, and line 2 states it\n"
    )

    asked = ask(tmp_path, "--why", "1 March 2026", script=script)
    later = run_in_process("ask", "--why", "2026-03-01", cwd=tmp_path)

    assert asked.out.endswith(trace)
    assert later.out.strip() == trace.strip()


def test_an_image_is_named_as_skipped(tmp_path: Path) -> None:
    """The question is about a folder and a single file outside of it."""
    write_files(
        tmp_path,
        {
            "docs/loans.md": "- loan-02: kept until 2026-03-01.\n",
            "docs/logo.png": "\0",
            "notes.md": "nothing\n",
        },
    )

    asked = ask(tmp_path, sources=("docs", "notes.md"))

    assert asked.code == 0, asked.err
    assert "[1] docs/loans.md:1, under loan-02\n" in asked.out
    assert "skipped: binary (docs/logo.png)\n" in asked.err


def test_show_prints_the_answer_to_the_last_question(tmp_path: Path) -> None:
    write_files(tmp_path, {"docs/loans.md": "- loan-02: kept until 2026-03-01.\n"})
    ask(tmp_path)

    shown = run_in_process("show", "last", cwd=tmp_path)

    assert "Until 2026-03-01 [1]." in shown.out


# A question that cannot be asked is refused in one line.
#
# For example:
#
#     controlplane ask "why?" docs    ->    controlplane: ask needs a model ...


@pytest.mark.parametrize(
    ("words", "message_part"),
    [
        pytest.param(("docs",), "ask needs a model", id="no model"),
        pytest.param(
            ("gone", "--model", "x"), "gone: No such file", id="a missing folder"
        ),
        pytest.param(
            ("docs", "--apply"), "--apply needs --write", id="apply without write"
        ),
        pytest.param(
            ("docs", "--write", "notes.md"), "it is a file", id="write to a file"
        ),
        pytest.param(
            ("--continue", "--model", "x"),
            "no question was asked yet",
            id="continue without a question before",
        ),
        pytest.param(
            ("docs/logo.png", "--model", "scripted:none.toml"),
            "no text file",
            id="an image as the only source",
        ),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused_in_one_line(
    tmp_path: Path, words: tuple[str, ...], message_part: str
) -> None:
    write_files(tmp_path, {"docs/a.md": "fee: 7\n", "docs/logo.png": "\0"})
    write_files(tmp_path, {"notes.md": "nothing\n"})

    refused = run_in_process("ask", "why?", *words, cwd=tmp_path)

    check_error_line(refused, UsageError.exit_code, message_part)


# `ask --write docs --apply` makes the changes that a model proposes.
#
#     harness.write("/fees.md", "fee: 7")    ->    docs/fees.md has "fee: 7"
#
# The model may write and delete files of the folder, and its answer may cite what it has written.


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


# A file that `ask --write docs --apply` changes keeps its permissions, and its old version is kept.
#
# The old version of docs/fees.md is runs/.old-versions/fees.md, until the next change.


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


# A script of `ask --write docs` cannot write to a symbolic link, which might lead out of the folder.
#
# For example:
#
#     harness.write("/link.md", "x")    ->    HarnessError "... symbolic link ... fees.md ..."


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


# `ask --write` lets a model propose changes of files, which are printed as a diff.
#
#     controlplane ask "Raise the fee." docs --write docs    ->    -fee: 4
#                                                                  +fee: 7
#
# They are made with `--apply`, or if the user says yes in the terminal. Here nobody can be asked.


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


# A model that answers `ask` with prose is asked for a script, and its next script counts.
#
# The prose, "Until 2026-03-01 (docs/loans.md:4).", is then forgotten: `result.json["unverified_draft"]` is
# empty.


@pytest.mark.parametrize(
    "replies",
    [
        pytest.param([PROSE, step_reply(ANSWER)], id="prose, then a script"),
        pytest.param(
            [PROSE, NO_CODE, NO_CODE, step_reply(ANSWER)],
            id="prose, two objects without code, then a script",
        ),
    ],
)
def test_an_answer_after_prose_is_accepted_without_a_draft(
    replies: list[str], loan_folder: Path
) -> None:
    """The model is told to write a script. It does, and the prose is forgotten."""
    result, requests = ask_model(loan_folder, *replies)

    assert requests == len(replies)
    assert result.code == 0
    assert result.json["status"] == "answered"
    assert result.json["unverified_draft"] == ""
    check_prose_is_not_submitted(result, loan_folder)


# A model that answers `ask` with prose, twice, has given a draft at most, and no answer.
#
# It should reply with a script, `{"state": "...", "code": "..."}`. If it writes "Until 2026-03-01
# (docs/loans.md:4)." instead, no script has looked at the files. It is asked once more, and then its text
# is shown below a warning.

THOUGHT_AND_PROSE = f"<think>Hm. {PROSE}</think>\n{PROSE}"
"""Some models write their thoughts between such tags; the text behind them counts."""


@pytest.mark.parametrize(
    "replies",
    [
        pytest.param(["It says so.", THOUGHT_AND_PROSE], id="prose twice"),
        pytest.param([NO_CODE, PROSE], id="an object without code, then prose"),
    ],
)
def test_two_replies_in_a_row_without_code_end_in_an_unverified_draft(
    replies: list[str], loan_folder: Path
) -> None:
    """The model is asked for a script once more, and replies with prose again. That may be what
    the user wants, so it is shown, but not as an answer."""
    result, requests = ask_model(loan_folder, *replies)

    assert requests == 2
    assert result.code == A_QUESTION_FAILED
    assert result.json["status"] == "no_accepted_answer"
    assert result.json["unverified_draft"] == PROSE
    check_prose_is_not_submitted(result, loan_folder)


def test_an_unverified_draft_is_printed_below_a_warning(loan_folder: Path) -> None:
    """The model replies with prose instead of a script, twice."""
    words = ("ask", QUESTION, "docs", "--model", "m")
    with model_server(http_response(200, completion_json(PROSE))) as server:
        result = run_in_process(*words, cwd=loan_folder, OPENAI_BASE_URL=server.url)

    assert result.code == A_QUESTION_FAILED
    heading = (
        "Unverified draft, which no check has seen and which was submitted nowhere:"
    )
    assert f"{heading}\n{PROSE}" in result.out


# A file that the user edits after a script of `ask --write` has read it is left alone.
#
# The model is a server, which edits docs/fees.md between its two replies. The other change is made, and
# the command fails.


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


# A file that the user edits before they consent to changes of `ask --write` is left alone.
#
# The terminal shows the changes and asks "Make these changes?". Meanwhile the user edits docs/old.md. The
# other change is made, and the command fails.


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


# A question of `ask` is answered by a solver whose model calls tools instead of writing scripts.
#
#     controlplane ask "Until when may loan-02 be kept?" docs --agent exoskeleton
#
# A solver is the agent that lets a model work on a task.


def test_a_question_is_answered_by_the_solver_with_tool_calls(tmp_path: Path) -> None:
    """The model of the solver "exoskeleton" calls tools instead of writing scripts.

    Its first reply reads the file, and its second one reports the answer with the source.
    """
    write_files(tmp_path, {"docs/loans.md": "- loan-02: kept until 2026-03-01.\n"})
    (tmp_path / "calls.toml").write_text(
        """
[[reply]]
[[reply.calls]]
name = "read"
arguments = { path = "/loans.md" }

[[reply]]
[[reply.calls]]
name = "report_completion"
[reply.calls.arguments]
message = "Until 2026-03-01."
outcome = "OUTCOME_OK"
records = [{ path = "/loans.md", reason = "loan-02 is kept until 2026-03-01", quote = "until 2026-03-01" }]
# arguments that the tool needs and that do not matter here
documents = []
notes = ""
protected = false
task_type = "other"
"""
    )

    asked = run_in_process(
        "ask",
        QUESTION,
        "docs",
        "--agent=exoskeleton",
        "--model=scripted:calls.toml",
        "--json",
        cwd=tmp_path,
    )

    assert asked.code == 0, asked.err + asked.out
    assert asked.json["answer"] == "Until 2026-03-01."
    (citation,) = asked.json["citations"]
    assert citation["path"] == "docs/loans.md"
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0


# A question of `ask` is recorded as a run of one trial, named `ask`.
#
# So it can be replayed, forked and reported like any run: `controlplane replay last --verify`.


def test_a_question_can_be_replayed(tmp_path: Path) -> None:
    """`ask` prints the command for it."""
    write_files(tmp_path, {"docs/loans.md": "- loan-02: kept until 2026-03-01.\n"})
    asked = ask(tmp_path)

    replayed = run_in_process("replay", "last", "--verify", cwd=tmp_path)

    assert "replay" in asked.err
    assert replayed.code == 0, replayed.out


def test_a_question_can_be_forked(tmp_path: Path) -> None:
    """A fork goes on with a recorded question at a step, here with another second reply."""
    write_files(tmp_path, {"docs/loans.md": "- loan-02: kept until 2026-03-01.\n"})
    replies = scripted_model(tmp_path, "print(1)", ANSWER)
    asked = run_in_process("ask", QUESTION, "docs", "--json", *replies, cwd=tmp_path)

    other_replies = scripted_model(tmp_path, "print(1)", ANSWER_THAT_FILES_DO_NOT_SAY)
    forked = run_in_process(
        "fork",
        asked.json["journal"],
        "--trial=ask",
        "--step=2",
        "--json",
        *other_replies,
        cwd=tmp_path,
    )

    assert forked.code == 0, forked.err
    (trial,) = forked.json["trials"]
    assert trial["state"] == "answered"
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0


def test_a_question_has_a_report(tmp_path: Path) -> None:
    """The report is the HTML page that every recorded run can have."""
    write_files(tmp_path, {"docs/loans.md": "- loan-02: kept until 2026-03-01.\n"})
    asked = ask(tmp_path, "--json")

    reported = run_in_process(
        "report", asked.json["journal"], "--output=page.html", cwd=tmp_path
    )

    assert reported.code == 0, reported.err
    assert "Until 2026-03-01." in (tmp_path / "page.html").read_text()


# A question of `ask` that has used up its tokens is resumed with a higher limit.
#
# The first reply of the model uses up the limit of 10 tokens. After `resume last --run-tokens 100000`
# the second one answers from docs/loans.md: "Until 2026-03-01 [1].".


def resume_after_cut_off(folder: Path, *output_options: str) -> CommandResult:
    """Ask with a limit of 10 tokens, which the first of two replies uses up, and resume the
    question with a higher limit. Return what `resume` printed; `output_options` are "--json" or
    none."""
    question = ("ask", QUESTION, "docs", "--model", "m", *output_options)
    replies = responding_in_turn(step_reply("print(1)"), step_reply(ANSWER))
    with model_server(replies) as server:
        endpoint = {"OPENAI_BASE_URL": server.url}
        cut_off = run_in_process(
            *question, "--run-tokens", "10", cwd=folder, **endpoint
        )
        resume = ("resume", "last", "--run-tokens", "100000", *output_options)
        resumed = run_in_process(*resume, cwd=folder, **endpoint)

    assert cut_off.code == BudgetExhausted.exit_code
    assert resumed.code == 0, resumed.err
    return resumed


def test_a_question_that_was_cut_off_is_resumed_with_its_answer(
    loan_folder: Path,
) -> None:
    """`resume` prints the answer as `ask` would have, with footnote and passage."""
    resumed = resume_after_cut_off(loan_folder)

    assert resumed.out.startswith(
        "Until 2026-03-01 [1].\n"
        "\n"
        "  [1] docs/loans.md:4\n"
        "\n"
        "  docs/loans.md:4\n"
        "    > until 2026-03-01.\n"
    )
    assert "controlplane replay" in resumed.err


def test_a_question_that_was_cut_off_is_resumed_with_its_answer_as_json(
    loan_folder: Path,
) -> None:
    resumed = resume_after_cut_off(loan_folder, "--json")

    assert resumed.json["status"] == "answered"
    (citation,) = resumed.json["citations"]
    assert citation["line"] == 4


# `ask` shows the beginning of a reply while the model still writes it.
#
# The model is a server in the test's process. It sends the first 30 characters, and waits until the
# terminal shows them behind "step 1 · …".


def stream_event(**choice: object) -> bytes:
    """Return an event of a reply that a model sends in parts, as an endpoint writes it.

    `stream_event(delta={"content": "Unt"})` is the part "Unt" of the reply.
    """
    event = {"choices": [{"index": 0, **choice}]}
    return b"data: " + json.dumps(event).encode() + b"\n\n"


def test_the_beginning_of_a_reply_is_shown_while_the_model_still_writes(
    loan_folder: Path,
) -> None:
    """1. The model sends the first 30 characters of its reply, and waits.
    2. The terminal shows them behind "step 1 · …".
    3. The model sends the rest, a script with the answer, and the terminal shows the answer.
    """
    reply = step_reply(ANSWER, state="")
    beginning, rest = reply[:30], reply[30:]
    beginning_is_shown = threading.Event()

    head_of_stream = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"

    end_of_stream = stream_event(delta={}, finish_reason="stop") + b"data: [DONE]\n\n"

    def stream_reply(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        """Send the beginning, wait, and return what the server is to send after it."""
        first_event = stream_event(delta={"content": beginning})
        connection.sendall(head_of_stream + first_event)
        assert beginning_is_shown.wait(PATIENCE_S)
        return stream_event(delta={"content": rest}) + end_of_stream

    with model_server(stream_reply) as server:
        words = ("ask", QUESTION, ".", "--model", "m", "--base-url", server.url)
        with Terminal(*words, cwd=loan_folder / "docs") as terminal:
            terminal.wait_for("step 1 · …" + re.escape(beginning))
            beginning_is_shown.set()
            terminal.wait_for("Until 2026-03-01")
            assert terminal.finish() == 0


# `ask` gives a model up that cannot be reached, after the time of `--model-patience`.
#
# For example:
#
#     --model-patience 1    ->    ... a step waits 1 s (--model-patience)


def test_an_unreachable_model_is_given_up_after_the_patience(loan_folder: Path) -> None:
    """Nothing listens at the address; `--model-patience` says for how long to try again."""
    asked = run_in_process(
        "ask",
        QUESTION,
        "docs",
        "--model=any",
        "--model-patience=1",
        cwd=loan_folder,
        OPENAI_BASE_URL="http://127.0.0.1:9/v1",
        OPENAI_API_KEY="none",
    )

    assert asked.code == Unreachable.exit_code, asked.err
    assert "a step waits 1 s (--model-patience)" in asked.err


# `ask --save-task t` turns a question and its answer into a task for a benchmark.
#
# The folder t has the files of the question, and in `task.toml` the question and its answer.
# `run --benchmark folder:t` lets any model answer it again, and gives 1 to an answer with the same values.


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        pytest.param("Until 2026-03-01.", 1.0, id="the saved answer"),
        pytest.param(
            "loan-02 goes back on 1 March 2026 at the latest.",
            1.0,
            id="the same date in other words",
        ),
        pytest.param("Until 2026-03-02.", 0.0, id="another date"),
    ],
)
def test_an_answer_to_a_saved_question_is_graded_by_its_values(
    loan_folder: Path, answer: str, score: float
) -> None:
    saved_script = script_with_answer("Until 2026-03-01.")
    saved = ask(loan_folder, "--save-task", "t", script=saved_script)
    assert saved.code == 0, saved.err

    assert score_of_saved_task(loan_folder, script_with_answer(answer)) == score


# A question saved by `ask --save-task t` has all files and functions with which it was asked.
#
# The folder t is a task, which a benchmark can play. The files of the question are copied to t/files.
# `loan_folder` has docs/loans.md, which says until when loan-02 may be kept, and notes.md: "nothing".


def test_a_saved_question_has_all_files_that_it_was_asked_about(
    loan_folder: Path,
) -> None:
    """The question is asked about the whole folder "."."""
    ask(loan_folder, "--save-task", "t", sources=(".",))

    assert (loan_folder / "t/files/notes.md").read_text() == "nothing\n"


def test_a_saved_question_is_played_with_the_functions_of_the_question(
    loan_folder: Path,
) -> None:
    """The same script answers the question, and then the saved task t.

    The script uses the functions that read, and asserts that there are none that change a file.
    """
    (loan_folder / "docs/fees.csv").write_text("loan,fee\nL-1,3\n")
    script = """
assert harness.search("nothing", files="*.md").matches
assert "loan-02" in harness.passages("loan").shown
assert harness.table("/docs/fees.csv").rows[0]["fee"] == 3
assert not any(hasattr(harness, name) for name in ("write", "delete", "exec"))
""" + script_with_answer("Until 2026-03-01.")

    saved = ask(loan_folder, "--save-task", "t", script=script, sources=(".",))

    assert saved.code == 0, saved.err
    assert score_of_saved_task(loan_folder, script) == 1.0


def test_a_question_is_not_saved_over_another(loan_folder: Path) -> None:
    assert ask(loan_folder, "--save-task", "t").code == 0

    refused = run_in_process("ask", QUESTION, "--save-task", "t", cwd=loan_folder)

    message = "--save-task t: it is not an empty folder"
    check_error_line(refused, UsageError.exit_code, message)


# `controlplane ask` without a question holds a conversation in the terminal.
#
# ? until when may loan-02 be kept?     what the user types
#   search until                        each call of the model's script, while it is made
# Until 2026-03-01 [1].                 the answer, with a citation
# ?
#
# The model replies to each question with a script, which calls `harness.answer`.

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


# A file that a model changes keeps its encoding, its line ends, and the bytes of all other lines.
#
# Scripts of a model read and write text with "\n". If the file is in UTF-16 with the line ends of
# Windows, "\r\n" (CRLF), the new text is written in the same way, and the diff that the user sees
# has only the lines that differ.

APPEND_A_LINE = """
text = harness.read("/old.txt").content
harness.write("/old.txt", text + "Fünf Äpfel\\n")
scratchpad["answer"] = "old.txt is extended by one line."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad.cite("/old.txt", "the price list", "Preis: 3")
harness.answer(scratchpad, lambda sp: "old.txt" in sp["answer"])
"""
"""Writes the whole text of old.txt with a new line at its end, as the only way to change a file."""


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
        ("utf-8", BOM_UTF8, "utf-8 with a byte-order mark, CRLF"),
        ("utf-16-le", BOM_UTF16_LE, "utf-16-le with a byte-order mark, CRLF"),
        ("utf-16-be", b"", "utf-16-be, CRLF"),
    ],
)
def test_a_changed_file_keeps_its_encoding_and_the_bytes_of_other_lines(
    encoding: str, byte_order_mark: bytes, printed_form: str, loan_folder: Path
) -> None:
    """Scripts read and write text with "\\n"; the file has "\\r\\n" (CRLF) and its own encoding."""
    path = loan_folder / "docs/old.txt"
    # The two lines of old.txt, with the line ends of Windows.
    original_text = "Grüße aus München\r\nPreis: 3 €\r\n"
    original_bytes = byte_order_mark + original_text.encode(encoding)
    path.write_bytes(original_bytes)

    options = ("--write", "docs", "--apply")
    request = "Append a line to old.txt."
    asked = ask(loan_folder, *options, script=APPEND_A_LINE, question=request)

    assert asked.code == 0, asked.err
    assert path.read_bytes() == original_bytes + "Fünf Äpfel\r\n".encode(encoding)
    assert f"({printed_form})\n" in asked.out
    assert lines_of_diff(asked.out) == ["+Fünf Äpfel"]


# `ask --write --save-task` turns a request and its changes of files into a task for a benchmark.
#
# The request is to extend loan-02, to write a file and to delete another. `run --benchmark folder:t` lets
# any model do it again, and gives 1 if all files are the same in the end.


@pytest.mark.parametrize(
    ("new_file", "score"),
    [
        pytest.param("/new/a.md", 1.0, id="the same changes"),
        pytest.param("/b.md", 0.0, id="another file is written"),
    ],
)
def test_a_saved_change_is_a_task_that_is_graded_by_the_files(
    new_file: str, score: float, changeable_folder: Path
) -> None:
    options = ("--write", "docs", "--apply", "--save-task", "t")
    script = script_with_changes("/new/a.md")
    saved = ask(changeable_folder, *options, script=script, question=REQUEST)
    assert saved.code == 0

    other_script = script_with_changes(new_file)
    assert score_of_saved_task(changeable_folder, other_script) == score


# `undo` takes back the changes of files that the last question made.
#
# `ask "Extend loan-02." docs --write docs --apply` changes docs/loans.md, and keeps its old
# version. `undo` prints how the file would change back, and `undo --apply` does it.


UNDO_FAILED = 1
"""The exit code of `undo` if it could not undo the changes."""


class TestUndo:
    """A question has changed three files, and `undo` changes them back.

    The date in docs/loans.md was replaced, docs/new/a.md was written, and docs/old.md was
    deleted. The files as they were are in `runs/.old-versions`. `changeable_folder` is the
    folder before the question.
    """

    def test_undo_proposes_the_reverse_changes(self, changeable_folder: Path) -> None:
        """Like `ask`, `undo` makes changes only with `--apply`."""
        ask_for_changes(changeable_folder, "--apply")

        proposed = run_in_process("undo", cwd=changeable_folder)

        assert proposed.code == ChangesProposed.exit_code
        assert "-  until 2026-05-01." in proposed.out
        assert "--apply undoes" in proposed.err

    def test_undo_with_apply_restores_the_files_and_a_second_undo_changes_them_again(
        self, changeable_folder: Path
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

    def test_undo_is_refused_if_a_file_was_edited_since(
        self, changeable_folder: Path
    ) -> None:
        """Nothing is undone then, not even for the other files, such as new/a.md."""
        docs = changeable_folder / "docs"
        ask_for_changes(changeable_folder, "--apply")
        (docs / "loans.md").write_text("edited\n")

        refused = run_in_process("undo", "--apply", cwd=changeable_folder)

        assert refused.code == UNDO_FAILED
        assert "docs/loans.md: it was changed since: nothing is undone" in refused.err
        assert (docs / "new/a.md").exists()

    def test_undo_knows_only_changes_by_runs_in_its_folder(
        self, changeable_folder: Path
    ) -> None:
        """Changes are remembered beside the journals of their runs, here in the folder `runs`."""
        ask_for_changes(changeable_folder, "--apply")

        refused = run_in_process(
            "undo", "--runs-dir", "elsewhere", cwd=changeable_folder
        )

        assert "there is no change to undo" in refused.err
