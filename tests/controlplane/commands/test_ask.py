"""`ask` answers a question from the files of a folder, and cites them.

`ask "Until when may loan-02 be kept?" docs` lets a model write scripts that search and read the
files, and prints "Until 2026-03-01 [1]." with the line that says so. With `--write docs` it may
propose changes of files, which `--apply` makes and `undo` takes back. The models in these tests
reply with fixed scripts.
"""

import json
import shlex
import signal
import socket
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from controlplane.errors import (
    BudgetExhausted,
    ChangesProposed,
    Interrupted,
    Unreachable,
    UsageError,
)
from tests.support.command import (
    CommandResult,
    check_error_line,
    clean_environment,
    command,
    run_in_process,
    run_program,
    wait_until,
)
from tests.support.endpoints import (
    ModelHttpRequest,
    completion_json,
    http_response,
    model_server,
    responding_in_turn,
)
from tests.support.single_trial import step_reply
from tests.support.terminal import Terminal

QUESTION = "Until when may loan-02 be kept?"

# Scripts of the model. `harness` has the calls to the files. `scratchpad` keeps values until the
# next step; `scratchpad.cite(path, reason, quote)` notes a source. `harness.answer` submits what
# the scratchpad has, with a function of the model that checks it.
ANSWER = """
found = harness.read(harness.search("loan-02").matches[0].path)
scratchpad.cite(found.path, "the line on loan-02 names 2026-03-01", "Kept  until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["seen"] = "loan-02"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""
"""Finds the line on loan-02, cites it, and answers "Until 2026-03-01."."""
ANSWER_THAT_FILES_DO_NOT_SAY = """
from datetime import date
harness.search("zeppelin")
scratchpad["answer"] = f"The files of {date.today()} do not say it. \\x1b[31m"
scratchpad["outcome"] = "OUTCOME_NONE_UNSUPPORTED"
harness.answer(scratchpad, lambda sp: "not" in sp["answer"])
"""
"""Searches in vain, and says so, with an escape sequence for the terminal at the end."""
MAKE_THREE_CHANGES = """
text = harness.read("/loans.md").content
harness.write("/loans.md", text.replace("03-01", "05-01"))
harness.write("/new/a.md", "new")
harness.delete("/old.md")
scratchpad.cite("/loans.md", "written: loan-02 until 2026-05-01")
scratchpad["answer"] = "loan-02 is kept until 2026-05-01, new/a.md is written, and old.md is deleted."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "05-01" in sp["answer"])
"""
"""Changes loans.md, writes new/a.md, and deletes old.md."""
REPLIES_WITH_CALLS = """
[[reply]]
[[reply.calls]]
name = "read"
arguments = { path = "/loans.md" }
[[reply]]
[[reply.calls]]
name = "report_completion"
[reply.calls.arguments]
notes = ""
task_type = "other"
outcome = "OUTCOME_OK"
message = "Until 2026-03-01."
protected = false
records = [{ path = "/loans.md", reason = "loan-02 is kept until 2026-03-01", quote = "until 2026-03-01" }]
documents = []
"""
"""The replies of a model that calls tools instead of writing scripts: it reads, and answers."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with docs/loans.md, which answers `QUESTION`, and two files that do not."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/loans.md").write_text(
        "# Loans\n\n- loan-02: kept\n  until 2026-03-01.\n- loan-02 again\n"
    )
    (tmp_path / "notes.md").write_text("nothing\n")
    (tmp_path / "docs/logo.png").write_bytes(b"\0")
    return tmp_path


def scripted_model(folder: Path, *scripts: str) -> tuple[str, str]:
    """Return the options for a model that replies with these scripts, one in each step."""
    replies = [f"[[reply]]\ncode = {json.dumps(script)}\n" for script in scripts]
    (folder / "replies.toml").write_text("".join(replies), encoding="utf-8")
    return "--model", "scripted:replies.toml"


def ask(
    folder: Path,
    *options: str,
    script: str = ANSWER,
    question: str = QUESTION,
    sources: tuple[str, ...] = ("docs",),
) -> CommandResult:
    """Run `ask` about the files of `docs`, with a model that replies with `script`."""
    replies = scripted_model(folder, script)
    return run_in_process("ask", question, *sources, *replies, *options, cwd=folder)


def test_a_footnote_names_the_line_of_the_value_inside_the_quoted_passage(
    folder: Path,
) -> None:
    """The date is in lines 1 and 4. The script quotes lines 3 and 4, so the footnote names 4."""
    (folder / "docs/loans.md").write_text(
        "until 2026-03-01: loan-07\n\n- loan-02: kept\n  until 2026-03-01.\n"
    )

    asked = ask(folder)

    expected_start = "Until 2026-03-01 [1].\n\n  [1] docs/loans.md:4\n"
    assert asked.out.startswith(expected_start), asked.out


PRINTED_ANSWER = """\
Until 2026-03-01 [1].

  [1] docs/loans.md:4

  docs/loans.md:3
    > Kept  until 2026-03-01
"""
"""What `ask` prints for `ANSWER`: the line of the date, then the quoted passage."""


def test_the_answer_is_printed_with_path_line_and_passage(folder: Path) -> None:
    """The question is recorded like a run of a benchmark, and can be replayed."""
    asked = ask(folder, sources=("docs", "notes.md"))

    assert asked.code == 0, asked.err
    assert asked.out.startswith(PRINTED_ANSWER)
    assert "skipped: binary (docs/logo.png)\n" in asked.err
    assert "replay" in asked.err
    replayed = run_in_process("replay", "last", "--verify", cwd=folder)
    assert replayed.code == 0, replayed.out


def test_the_answer_as_json_has_its_citations_and_claims(folder: Path) -> None:
    """A claim is a value in the answer, such as a date, with the place where it was found."""
    asked = ask(folder, "--json", sources=("docs", "notes.md"))

    assert asked.json["status"] == "answered"
    assert asked.err == ""
    assert asked.json["citations"] == [
        {
            "path": "docs/loans.md",
            "line": 3,
            "quote": "Kept  until 2026-03-01",
            "reason": "the line on loan-02 names 2026-03-01",
        }
    ]
    # `start` and `end` are places in the answer, "Until 2026-03-01."; `line` is one of the file.
    assert asked.json["claims"] == [
        {
            "start": len("Until "),
            "end": len("Until 2026-03-01"),
            "kind": "date",
            "text": "2026-03-01",
            "support": "found",
            "source": "docs/loans.md",
            "line": 4,
            "note": "",
        }
    ]
    assert "Until 2026-03-01 [1]." in run_in_process("show", "last", cwd=folder).out


ANSWER_WITH_INVENTED_VALUES = """
found = harness.read(harness.search("loan-02").matches[0].path)
scratchpad.cite(found.path, "the line on loan-02 names 2026-03-01", "Kept  until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01, says Nowak Trading AG, for EUR 12,345.67."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["seen"] = "loan-02"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""
"""Answers with the date, which is in a file, and with a name and an amount, which are not."""
A_QUESTION_FAILED = 1
"""The exit code if no answer was accepted, or, with `--strict`, if a value is unverified."""
UNDO_FAILED = 1


def test_a_value_that_no_file_contains_is_marked_unverified(folder: Path) -> None:
    """The answer counts all the same, and the model is not questioned about the value."""
    asked = ask(folder, script=ANSWER_WITH_INVENTED_VALUES)

    assert asked.code == 0, asked.err
    assert "says Nowak Trading AG, for EUR 12,345.67 [unverified]." in asked.out
    assert "unverified: 12,345.67" in asked.out
    assert "questioned" not in asked.out
    assert "changed: nothing" in asked.out
    shown = run_in_process("show", "last", cwd=folder)
    assert "12,345.67 [unverified]" in shown.out
    run_in_process("report", "last", "-o", "r.html", cwd=folder)


def test_a_strict_question_fails_if_no_file_contains_a_value(folder: Path) -> None:
    """The answer names EUR 12,345.67, an amount that the model has invented."""
    asked = ask(folder, "--strict", "--json", script=ANSWER_WITH_INVENTED_VALUES)

    assert asked.code == A_QUESTION_FAILED
    assert asked.json["steps"] == 1  # The model was not asked to mend its answer.
    missing_values = [
        claim["text"] for claim in asked.json["claims"] if claim["support"] == "missing"
    ]
    assert missing_values == ["12,345.67"]


def test_a_strict_question_succeeds_if_files_contain_all_values(folder: Path) -> None:
    """The answer has one value, the date, which is in docs/loans.md."""
    asked = ask(folder, "--strict", script=ANSWER)

    assert asked.code == 0
    assert "unverified" not in asked.out


SUM_OF_SQUARES = """
rows = [line.split(",") for line in harness.read("/fees.csv").content.splitlines()[1:]]
fee = sum(float(row[1]) ** 2 for row in rows)
"""
PRINT_THE_SUM = SUM_OF_SQUARES + 'print(f"{fee:.2f}")'
ANSWER_WITH_SUM = (
    SUM_OF_SQUARES
    + """
scratchpad.cite("/fees.csv", "the fees of all loans")
scratchpad["answer"] = f"The squares sum up to {fee:.2f}."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["facts"] = {"fee": {"value": f"{fee:.2f}", "confidence": "derived", "source": "/fees.csv"}}
harness.answer(scratchpad, lambda sp: "squares" in sp["answer"])
"""
)
"""Computes the sum of the squares of all fees, and puts it into the answer."""
ANSWER_WITH_TYPED_SUM = ANSWER_WITH_SUM.replace("{fee:.2f}.", "12909486.71.")
"""Puts the same number into the answer as text, as a model does that has seen it printed."""


@pytest.mark.parametrize(
    "scripts",
    [[ANSWER_WITH_SUM], [PRINT_THE_SUM, ANSWER_WITH_TYPED_SUM]],
    ids=["inserted by the script", "typed after it was printed"],
)
def test_what_scripts_compute_is_marked_as_computed(
    scripts: list[str], folder: Path
) -> None:
    """The sum itself is in no file, but it was computed from one."""
    fees = [f"L-{number},{number * 7.35:.2f}\n" for number in range(1, 90)]
    (folder / "docs/fees.csv").write_text("loan,fee\n" + "".join(fees))

    question = ("ask", "What is the sum of squares?", "docs", "--json")
    asked = run_in_process(*question, *scripted_model(folder, *scripts), cwd=folder)

    (claim,) = asked.json["claims"]
    assert claim["support"] == "computed"


CITE_2023 = """
found = harness.read("/loans-2023.md")
scratchpad.cite(found.path, "the line on loan-02 names 2026-03-01", "Kept  until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["seen"] = "loan-02"
"""
CITE_2025_TOO = """
harness.read("/loans-2025.md")
scratchpad.cite("/loans-2025.md", "the line on loan-02")
"""
SUBMIT_ANSWER = 'harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])\n'


@pytest.fixture
def folder_of_two_versions(folder: Path) -> Path:
    """The folder with loans-2023.md and loans-2025.md, which say the same."""
    for year in (2023, 2025):
        path = folder / f"docs/loans-{year}.md"
        path.write_text("- loan-02: kept until 2026-03-01.\n")
    return folder


def test_a_citation_of_an_old_version_comes_with_a_note(
    folder_of_two_versions: Path,
) -> None:
    """By their names, loans-2023.md and loans-2025.md are two versions of a document."""
    asked = ask(folder_of_two_versions, script=CITE_2023 + SUBMIT_ANSWER)

    note = "(There is a newer version of docs/loans-2023.md: docs/loans-2025.md)"
    assert note in asked.out, asked.out + asked.err


def test_a_citation_of_an_old_version_and_the_newer_one_has_no_note(
    folder_of_two_versions: Path,
) -> None:
    """The reader sees both versions."""
    asked = ask(
        folder_of_two_versions, script=CITE_2023 + CITE_2025_TOO + SUBMIT_ANSWER
    )

    assert asked.code == 0, asked.err
    assert "newer version" not in asked.out


def test_an_answer_that_the_files_do_not_say_it_is_a_success(folder: Path) -> None:
    """It tells what was searched for, and which files were not looked at."""
    day_before = datetime.now(UTC).date()
    asked = ask(folder, script=ANSWER_THAT_FILES_DO_NOT_SAY, question="Which zeppelin?")
    day_after = datetime.now(UTC).date()

    assert asked.code == 0, asked.err
    assert asked.out.startswith("The sources do not say.")
    assert "searched for: zeppelin" in asked.out
    assert "not looked at: binary (logo.png)" in asked.out
    # The script prints today's date; midnight may pass while it runs.
    assert (
        f"The files of {day_before} do not say it." in asked.out
        or f"The files of {day_after} do not say it." in asked.out
    ), asked.out
    # The script's escape sequence does not reach the terminal.
    assert "\x1b" not in asked.out


def test_a_question_without_an_answer_in_time_is_a_failure(folder: Path) -> None:
    """The model has one step, in which it does not answer."""
    never_answers = "x = 1"

    as_json = ask(folder, "--max-steps", "1", "--json", script=never_answers)
    printed = ask(folder, "--max-steps", "1", script=never_answers)

    assert as_json.code == A_QUESTION_FAILED
    assert as_json.json["status"] == "no_accepted_answer"
    assert printed.out.startswith("No answer was accepted. (no answer within 1 step")


def cut_off_and_resumed(folder: Path, *form: str) -> CommandResult:
    """Ask with a limit on tokens that the first of two replies uses up, and resume the question
    with a higher limit. Return what `resume` printed; `form` is "--json" or nothing."""
    words = ("ask", QUESTION, "docs", "--model", "m", "--max-tokens-run", "10", *form)
    more_tokens = ("--max-tokens-run", "100000", *form)
    with model_server(
        responding_in_turn(step_reply("print(1)"), step_reply(ANSWER))
    ) as server:
        cut_off = run_in_process(*words, cwd=folder, OPENAI_BASE_URL=server.url)
        resumed = run_in_process(
            "resume", "last", *more_tokens, cwd=folder, OPENAI_BASE_URL=server.url
        )

    assert cut_off.code == BudgetExhausted.exit_code
    assert resumed.code == 0, resumed.err
    return resumed


def test_a_question_that_was_cut_off_is_resumed_with_its_answer(folder: Path) -> None:
    """`resume` prints the answer as `ask` would have, with footnote and passage."""
    resumed = cut_off_and_resumed(folder)

    assert resumed.out.startswith(PRINTED_ANSWER)
    assert "controlplane replay" in resumed.err


def test_a_question_that_was_cut_off_is_resumed_with_its_answer_as_json(
    folder: Path,
) -> None:
    resumed = cut_off_and_resumed(folder, "--json")

    assert resumed.json["status"] == "answered"
    (citation,) = resumed.json["citations"]
    assert citation["line"] == 3


# Replies of a model that does not keep to the form, which is a JSON object with a script as `code`.
NO_CODE = '{"state": "an object without code"}'
PROSE = "Until 2026-03-01 (docs/loans.md:4). OUTCOME_OK"
OTHER_PROSE = "It says so."
THOUGHT_AND_PROSE = f"<think>Hm. {PROSE}</think>\n{PROSE}"


def ask_server(folder: Path, *replies: str) -> tuple[CommandResult, int]:
    """Ask a model that gives these replies in turn. Return what `ask` printed as JSON, and how
    many requests the model got."""
    options = ("--model", "m", "--reply-mode", "text", "--json")
    with model_server(responding_in_turn(*replies)) as server:
        variables = {"OPENAI_BASE_URL": server.url}
        result = run_in_process(
            "ask", QUESTION, "docs", *options, cwd=folder, **variables
        )
        return result, len(server.asked)


def check_prose_is_not_submitted(result: CommandResult, folder: Path) -> None:
    """Assert that `PROSE` is neither the answer nor anything that the gates, the checks of
    submitted answers, have judged."""
    assert PROSE not in result.json["answer"]
    replay = run_in_process("replay", "last", "--trial", "ask", "--json", cwd=folder)
    verdicts = [step["verdicts"] for step in replay.json["steps"]]
    assert PROSE not in str(verdicts)
    assert run_in_process("replay", "last", "--verify", cwd=folder).code == 0


@pytest.mark.parametrize(
    "replies",
    [
        pytest.param([OTHER_PROSE, THOUGHT_AND_PROSE], id="prose twice"),
        pytest.param([NO_CODE, PROSE], id="an object without code, then prose"),
    ],
)
def test_two_replies_in_a_row_without_code_end_in_an_unverified_draft(
    replies: list[str], folder: Path
) -> None:
    """The last text may be what the user wants, so it is shown, but not as an answer."""
    result, requests = ask_server(folder, *replies)

    assert requests == 2
    assert result.code == A_QUESTION_FAILED
    assert result.json["status"] == "no_accepted_answer"
    assert result.json["unverified_draft"] == PROSE
    check_prose_is_not_submitted(result, folder)


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
    replies: list[str], folder: Path
) -> None:
    """The model is told to write a script. It does, and the prose is forgotten."""
    result, requests = ask_server(folder, *replies)

    assert requests == len(replies)
    assert result.code == 0
    assert result.json["status"] == "answered"
    assert result.json["unverified_draft"] == ""
    check_prose_is_not_submitted(result, folder)


def test_an_unverified_draft_is_printed_below_a_warning(folder: Path) -> None:
    """The model replies with prose instead of a script, twice."""
    words = ("ask", QUESTION, "docs", "--model", "m")
    with model_server(http_response(200, completion_json(PROSE))) as server:
        result = run_in_process(*words, cwd=folder, OPENAI_BASE_URL=server.url)

    assert result.code == A_QUESTION_FAILED
    heading = (
        "Unverified draft, which no check has seen and which was submitted nowhere:"
    )
    assert f"{heading}\n{PROSE}" in result.out


WRITE_AND_KEEP_THE_SAME = """
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
"""Changes loans.md, writes new/a.md, deletes old.md, and writes same.md as it is already."""


def ask_for_changes(folder: Path, *options: str) -> CommandResult:
    """Ask a model that replies with `WRITE_AND_KEEP_THE_SAME`, and may change files of docs."""
    request = (
        "Extend loan-02 to 2026-05-01, write new/a.md and same.md, and delete old.md."
    )
    return ask(
        folder,
        *("--write", "docs", *options),
        script=WRITE_AND_KEEP_THE_SAME,
        question=request,
    )


@pytest.fixture
def changeable_folder(folder: Path) -> Path:
    """The folder with old.md, same.md, and a loans.md that only its owner may read."""
    docs = folder / "docs"
    (docs / "old.md").write_text("old\n")
    # The script writes this text with "\n"; with the line ends of the file it is the same.
    (docs / "same.md").write_bytes(b"a\r\nb\r\n")
    (docs / "loans.md").chmod(0o600)
    return folder


def test_changes_are_proposed_as_a_diff_and_not_made(changeable_folder: Path) -> None:
    """Nobody can be asked for consent here: this is not a terminal, and there is no `--apply`."""
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
    """A changed file keeps its permissions."""
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
    """Like `ask`, it makes them only with `--apply`."""
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
    """Nothing is undone then, not even for the other files."""
    docs = changeable_folder / "docs"
    ask_for_changes(changeable_folder, "--apply")
    (docs / "loans.md").write_text("edited\n")
    refused = run_in_process("undo", "--apply", cwd=changeable_folder)

    assert refused.code == UNDO_FAILED
    assert "docs/loans.md: it was changed since: nothing is undone" in refused.err
    assert (docs / "new/a.md").exists()


def test_undo_knows_only_changes_by_runs_in_its_folder(changeable_folder: Path) -> None:
    """Changes are remembered beside the journals of their runs."""
    ask_for_changes(changeable_folder, "--apply")
    refused = run_in_process("undo", "--runs-dir", "elsewhere", cwd=changeable_folder)

    assert "there is no change to undo" in refused.err


WRITE_TO_A_LINK = """
harness.read("/loans.md")
try:
    harness.write("/link.md", "x")
except HarnessError as error:
    assert "symbolic link" in error.message and "loans.md" in error.message, error.message
    harness.write("/new.md", "new\\n")
scratchpad["answer"] = "new.md is written."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["changes"] = ["/new.md"]
def verify(sp):
    return "new.md" in sp["answer"]
harness.answer(scratchpad, verify)
"""
"""Tries to write to link.md; only if the error names the link and its target, writes new.md."""


def test_a_script_cannot_write_to_a_symbolic_link(folder: Path) -> None:
    """The link might lead out of the folder."""
    (folder / "docs/link.md").symlink_to("loans.md")
    options = ("--write", "docs", "--gates", "none", "--apply")

    asked = ask(folder, *options, script=WRITE_TO_A_LINK, question="Write new.md.")

    assert asked.code == 0, asked.err
    assert (folder / "docs/new.md").read_text() == "new\n"


@pytest.mark.parametrize(
    "closed_streams",
    [
        pytest.param("<&-", id="input"),
        pytest.param("2>&-", id="error"),
        pytest.param("<&- 2>&-", id="input and error"),
    ],
)
def test_a_question_is_answered_with_standard_streams_closed(
    closed_streams: str, folder: Path
) -> None:
    """`<&-` closes standard input for a program that bash starts, as some services do."""
    words = command(("ask", QUESTION, "docs", *scripted_model(folder, ANSWER)))
    asked = run_program(["bash", "-c", f"{shlex.join(words)} {closed_streams}"], folder)

    assert asked.code == 0, asked.err
    assert "2026-03-01" in asked.out


def test_show_succeeds_if_the_reader_of_its_pipe_leaves_early(folder: Path) -> None:
    """`head -c 1` reads one character and closes the pipe; bash reports if `show` fails."""
    assert ask(folder).code == 0

    show = shlex.join(command(("show", "last", "--all")))
    pipeline = f"set -o pipefail; {show} | head -c 1 > /dev/null"
    result = run_program(["bash", "-c", pipeline], folder)

    assert result.code == 0, result.err


def has_finished_a_step(folder: Path) -> bool:
    """Return whether a journal below the folder has the event of a step's end."""
    journals = folder.glob("runs/*.jsonl")
    return any('"type":"step"' in journal.read_text() for journal in journals)


def output_of_terminated_question(folder: Path, *options: str) -> str:
    """Ask a question, terminate it in the second step, and return what it printed.

    The script of the first step reads a file; that of the second never ends.
    """
    scripts = ("harness.read('/loans.md')\nprint('read')", "while True:\n    pass")
    replies = scripted_model(folder, *scripts)
    words = command(("ask", QUESTION, "docs", *replies, *options))
    with subprocess.Popen(
        words, cwd=folder, env=clean_environment(), stdout=subprocess.PIPE, text=True
    ) as process:
        wait_until(lambda: has_finished_a_step(folder), within_s=60)
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == Interrupted.exit_code
    return out


def test_a_terminated_question_names_the_files_that_it_has_read(folder: Path) -> None:
    """The program is terminated while the second script of the model runs."""
    assert "docs/loans.md" in output_of_terminated_question(folder)


def test_a_terminated_question_names_the_files_that_it_has_read_as_json(
    folder: Path,
) -> None:
    out = output_of_terminated_question(folder, "--json")

    assert json.loads(out)["files_read"] == ["docs/loans.md"]


def run_with_standard_input(text: str, *words: str, folder: Path) -> CommandResult:
    """Run `controlplane` with these words in a process of its own, which reads the text."""
    return run_program(command(words), folder, text=text)


@pytest.mark.parametrize("sources", [("-",), ()], ids=["named", "not named"])
def test_standard_input_is_a_source(sources: tuple[str, ...], folder: Path) -> None:
    """`-` names it. It is kept as a file, readable by its owner alone, which can be cited."""
    text = (folder / "docs/loans.md").read_text()
    words = ("ask", QUESTION, *sources, *scripted_model(folder, ANSWER), "--json")

    asked = run_with_standard_input(text, *words, folder=folder)

    assert asked.code == 0, asked.err
    (citation,) = asked.json["citations"]
    assert citation["line"] == 3
    assert citation["path"].startswith("runs/standard-input/")
    kept_input = folder / citation["path"]
    assert kept_input.read_text() == text
    permissions = kept_input.stat().st_mode & 0o777
    assert permissions == 0o600


def test_an_empty_standard_input_is_refused_as_a_source(folder: Path) -> None:
    """A pipe from a program that failed is often empty."""
    words = ("ask", QUESTION, "-", "--model", "m")
    refused = run_with_standard_input(" ", *words, folder=folder)

    check_error_line(
        refused, UsageError.exit_code, "there is no text on standard input"
    )


def test_a_message_says_that_standard_input_is_not_read_beside_other_sources(
    folder: Path,
) -> None:
    """The user may have meant it as a source."""
    text = (folder / "docs/loans.md").read_text()
    words = ("ask", QUESTION, "docs", *scripted_model(folder, ANSWER))

    asked = run_with_standard_input(text, *words, folder=folder)

    assert "standard input is not read; name it as a source: -" in asked.err


ANSWER_FROM_A_PASSAGE = """
found = harness.search("until").matches[0]
scratchpad.cite(found.path, "the line on loan-02 names 2026-03-01", "until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["seen"] = "loan-02"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""
"""Cites a line that a search has shown, without reading the whole file."""
ANSWER_FROM_EARLIER = """
earlier = harness.earlier()
assert "Until 2026-03-01." in earlier.shown and "loan-02" == earlier.scratchpad.seen
scratchpad.cite("/loans.md", "the line on loan-02", "loan-02: kept")
scratchpad["answer"], scratchpad["outcome"] = "Still until 2026-03-01.", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""
"""Answers from the earlier question, whose answer and scratchpad `harness.earlier()` returns."""


def test_ask_without_a_question_holds_a_conversation_in_the_terminal(
    folder: Path,
) -> None:
    """The user types two questions, and sees each call while it is made.

    The second answer cites a file of which the first question saw only a passage.
    """
    replies = responding_in_turn(
        step_reply(ANSWER_FROM_A_PASSAGE), step_reply(ANSWER_FROM_EARLIER)
    )
    with model_server(replies) as server:
        words = ("ask", "--model", "m", "--base-url", server.url)
        with Terminal(*words, cwd=folder / "docs") as terminal:
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


def stream_event(**choice: object) -> bytes:
    """Return an event of a reply that a model sends in parts, as an endpoint writes it."""
    event = {"choices": [{"index": 0, **choice}]}
    return b"data: " + json.dumps(event).encode() + b"\n\n"


def test_the_beginning_of_a_reply_is_shown_while_the_model_still_writes(
    folder: Path,
) -> None:
    """The model sends 30 characters, and the rest a while later."""
    text = step_reply(ANSWER, "")

    def stream_reply(asked: ModelHttpRequest, connection: socket.socket) -> bytes:
        head = (
            b"HTTP/1.1 200 OK\r\n"
            b"content-type: text/event-stream\r\n"
            b"connection: close\r\n\r\n"
        )
        connection.sendall(head + stream_event(delta={"content": text[:30]}))
        time.sleep(1.5)
        rest = stream_event(delta={"content": text[30:]})
        end = stream_event(delta={}, finish_reason="stop") + b"data: [DONE]\n\n"
        return rest + end

    with model_server(stream_reply) as server:
        words = ("ask", QUESTION, ".", "--model", "m", "--base-url", server.url)
        with Terminal(*words, cwd=folder / "docs") as terminal:
            # The first 30 characters of the reply.
            terminal.wait_for(r'step 1 · …\{"state": "", "plan": \[\], "don')
            terminal.wait_for(r"Until 2026-03-01")
            assert terminal.finish() == 0


def test_an_unreachable_model_is_given_up_after_the_patience(folder: Path) -> None:
    """Nothing listens at the address; `--model-patience` says for how long to try again."""
    words = ("ask", QUESTION, "docs", "--model", "any", "--model-patience", "1")
    endpoint = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "none"}
    began = time.monotonic()

    asked = run_in_process(*words, cwd=folder, **endpoint)

    assert asked.code == Unreachable.exit_code, asked.err
    # The patience is one second; the rest is for a busy machine.
    assert time.monotonic() - began < 20


APPEND_A_LINE = """
text = harness.read("/old.txt").content
harness.write("/old.txt", text + "Fünf Äpfel\\n")
scratchpad["answer"], scratchpad["outcome"] = "old.txt is extended by one line.", "OUTCOME_OK"
scratchpad.cite("/old.txt", "the price list", "Preis: 3")
harness.answer(scratchpad, lambda sp: "old.txt" in sp["answer"])
"""
"""Writes the whole text of old.txt with a new line at its end, as the only way to change a file."""
ORIGINAL_TEXT = "Grüße aus München\r\nPreis: 3 €\r\n"


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
    encoding: str, byte_order_mark: bytes, printed_form: str, folder: Path
) -> None:
    """Scripts read and write text with "\\n"; the file has "\\r\\n" (CRLF) and its own encoding."""
    path = folder / "docs/old.txt"
    original_bytes = byte_order_mark + ORIGINAL_TEXT.encode(encoding)
    path.write_bytes(original_bytes)

    asked = ask(
        folder,
        *("--write", "docs", "--apply"),
        script=APPEND_A_LINE,
        question="Append a line to old.txt.",
    )

    assert asked.code == 0, asked.err
    assert path.read_bytes() == original_bytes + "Fünf Äpfel\r\n".encode(encoding)
    assert f"({printed_form})\n" in asked.out
    assert lines_of_diff(asked.out) == ["+Fünf Äpfel"]


REQUEST_TO_WRITE = "Extend loan-02 to 2026-05-01, write new/a.md, and delete old.md."


def test_a_file_that_is_edited_before_the_user_consents_is_not_changed(
    folder: Path,
) -> None:
    """The terminal shows the changes and asks. Then old.md, which is to be deleted, is edited,
    and the user says yes: old.md stays as it is, and the other files are changed."""
    docs = folder / "docs"
    (docs / "old.md").write_text("old\n")
    words = ("ask", REQUEST_TO_WRITE, "docs", "--write", "docs")
    with Terminal(
        *words, *scripted_model(folder, MAKE_THREE_CHANGES), cwd=folder
    ) as terminal:
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


def test_a_file_that_is_edited_after_a_script_read_it_is_not_changed(
    folder: Path,
) -> None:
    """The first script reads and changes loans.md. Before the second, the user edits it."""
    docs = folder / "docs"
    (docs / "old.md").write_text("old\n")

    def reply(asked: ModelHttpRequest, connection: socket.socket) -> bytes:
        is_first_request = len(server.asked) == 1
        if is_first_request:
            return http_response(
                200, completion_json(step_reply(READ_AND_CHANGE_LOANS))
            )
        (docs / "loans.md").write_text("edited\n")
        return http_response(200, completion_json(step_reply(MAKE_THREE_CHANGES)))

    words = ("ask", REQUEST_TO_WRITE, "docs", "--write", "docs", "--apply")
    with model_server(reply) as server:
        asked = run_in_process(
            *words, "--model", "m", cwd=folder, OPENAI_BASE_URL=server.url
        )

    assert asked.code == A_QUESTION_FAILED, asked.err + asked.out
    assert "loans.md: it was changed while the question was answered" in asked.err
    assert (docs / "loans.md").read_text() == "edited\n"
    assert not (docs / "old.md").exists()


ANSWER_THAT_KNOWS_THE_EARLIER = (
    """
earlier = harness.earlier()
assert "Until 2026-03-01." in earlier.shown and earlier.scratchpad.seen == "loan-02", earlier
"""
    + ANSWER
)


def test_a_continued_question_knows_the_one_before_and_names_its_run(
    folder: Path,
) -> None:
    """`--continue` asks the model and the files of the last question."""
    first = ask(folder, "--json")
    # The model is the same, the file replies.toml, which has another script now.
    scripted_model(folder, ANSWER_THAT_KNOWS_THE_EARLIER)

    following = run_in_process("ask", "and now?", "--continue", "--json", cwd=folder)

    assert following.code == 0, following.out
    lines = Path(folder, following.json["journal"]).read_text().splitlines()
    events = [json.loads(line) for line in lines]
    (opened,) = [event for event in events if event["type"] == "run_opened"]
    settings = {setting["name"]: setting["value"] for setting in opened["settings"]}
    assert settings["model_patience"] == 30.0
    assert opened["parent"]["how"] == "continue"
    assert opened["parent"]["run"] == Path(first.json["journal"]).stem
    assert run_in_process("replay", "last", "--verify", cwd=folder).code == 0


CITE_WITHOUT_READING = (
    """
try:
    scratchpad.cite("/loans.md", "the line on loan-02", "loan-02")
    print('cited')
except CitationError:
    print('not read')
"""
    + ANSWER_THAT_FILES_DO_NOT_SAY
)
"""Tries to cite loans.md without reading it, which is an error unless it was read before."""


def output_of_citing_without_reading(folder: Path) -> str:
    """Continue the last question with `CITE_WITHOUT_READING`, and return what the script prints."""
    replies = scripted_model(folder, CITE_WITHOUT_READING)
    run_in_process("ask", "Which zeppelin?", "--continue", *replies, cwd=folder)
    replayed = run_in_process("replay", "last", "--trial", "ask", "--json", cwd=folder)
    output: str = replayed.json["steps"][0]["output"]
    return output


def test_a_cited_file_counts_as_read_in_the_next_question(folder: Path) -> None:
    """The first question reads and cites loans.md."""
    ask(folder)

    assert output_of_citing_without_reading(folder).startswith("cited\n")


def test_a_cited_file_that_has_changed_does_not_count_as_read_in_the_next_question(
    folder: Path,
) -> None:
    """What was read then is no longer what the file says."""
    ask(folder)
    (folder / "docs/loans.md").write_text("wholly other words\n")

    assert output_of_citing_without_reading(folder).startswith("not read\n")


USE_EVERY_READING_FUNCTION = """
assert harness.search("nothing", files="*.md").matches and "loan-02" in harness.passages("loan").shown
assert harness.table("/docs/fees.csv").rows[0]["fee"] == 3
assert not any(hasattr(harness, name) for name in ("write", "delete", "exec"))
found = harness.read(harness.search("loan-02").matches[0].path)
scratchpad.cite(found.path, "the line on loan-02 names 2026-03-01", "Kept  until 2026-03-01")
scratchpad["answer"] = "ANSWER"
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["seen"] = "loan-02"
harness.answer(scratchpad, lambda sp: len(sp["answer"]) > 3)
"""
"""Calls every function that a question has for reading, and answers with what replaces ANSWER."""


def played_scores(folder: Path, *scripts: str) -> list[float]:
    """Play the task that was saved as `t` with these scripts, and return its trials' scores."""
    replies = scripted_model(folder, *scripts)
    words = ("run", "--benchmark", "folder:t", *replies, "--json")
    played = run_in_process(*words, cwd=folder)
    return [trial["score"] for trial in played.json["trials"]]


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
def test_a_saved_question_is_a_task_whose_answers_are_graded_by_their_values(
    folder: Path, answer: str, score: float
) -> None:
    """`--save-task t` writes the question, its files and its answer to the folder t, as a task
    of a benchmark, which other models can play."""
    (folder / "docs/fees.csv").write_text("loan,fee\nL-1,3\n")
    saved_script = USE_EVERY_READING_FUNCTION.replace("ANSWER", "Until 2026-03-01.")
    saved = ask(folder, "--save-task", "t", script=saved_script, sources=(".",))

    assert saved.code == 0, saved.err
    assert (folder / "t/files/notes.md").read_text() == "nothing\n"

    # A gate, a check of submitted answers, may send it back up to twice; the model repeats it.
    played_script = USE_EVERY_READING_FUNCTION.replace("ANSWER", answer)
    assert played_scores(folder, *[played_script] * 3) == [score]


def test_a_question_is_not_saved_over_another(folder: Path) -> None:
    """The folder t has a saved question already."""
    assert ask(folder, "--save-task", "t").code == 0

    refused = run_in_process("ask", QUESTION, "--save-task", "t", cwd=folder)

    message = "--save-task t: it is not an empty folder"
    check_error_line(refused, UsageError.exit_code, message)


MAKE_ANOTHER_CHANGE = MAKE_THREE_CHANGES.replace("/new/a.md", "/b.md")


@pytest.mark.parametrize(
    ("script", "score"),
    [
        pytest.param(MAKE_THREE_CHANGES, 1.0, id="the same changes"),
        pytest.param(MAKE_ANOTHER_CHANGE, 0.0, id="another file is written"),
    ],
)
def test_a_saved_change_is_a_task_that_is_graded_by_the_files(
    script: str, score: float, folder: Path
) -> None:
    """Save a question that changes files as a task, and play it with a script."""
    (folder / "docs/old.md").write_text("old\n")
    saved = ask(
        folder,
        *("--write", "docs", "--apply", "--save-task", "t"),
        script=MAKE_THREE_CHANGES,
        question="Extend loan-02 to 2026-05-01.",
    )
    assert saved.code == 0

    assert played_scores(folder, script) == [score]


def test_a_question_is_a_run_that_can_be_forked(folder: Path) -> None:
    """A fork goes on with a recorded question at a step, here with another second reply."""
    replies = scripted_model(folder, "print(1)", ANSWER)
    asked = run_in_process("ask", QUESTION, "docs", *replies, "--json", cwd=folder)

    other_replies = scripted_model(folder, "print(1)", ANSWER_THAT_FILES_DO_NOT_SAY)
    place = ("--trial", "ask", "--step", "2")
    forked = run_in_process(
        "fork", asked.json["journal"], *place, *other_replies, "--json", cwd=folder
    )

    assert forked.code == 0, forked.err
    (trial,) = forked.json["trials"]
    assert trial["state"] == "answered"
    assert run_in_process("replay", "last", "--verify", cwd=folder).code == 0


def test_a_question_is_a_run_that_has_a_report(folder: Path) -> None:
    """The report is the HTML page that every recorded run can have."""
    asked = ask(folder, "--json")

    report = ("report", asked.json["journal"], "--output", "page.html")
    reported = run_in_process(*report, cwd=folder)

    assert reported.code == 0, reported.err
    assert "Until 2026-03-01." in (folder / "page.html").read_text()


def test_a_question_is_answered_by_the_solver_with_tool_calls(folder: Path) -> None:
    """The model of the solver "exoskeleton" calls tools instead of writing scripts."""
    (folder / "calls.toml").write_text(REPLIES_WITH_CALLS)
    options = ("--agent", "exoskeleton", "--model", "scripted:calls.toml", "--json")

    asked = run_in_process("ask", QUESTION, "docs", *options, cwd=folder)

    assert asked.code == 0, asked.err + asked.out
    assert asked.json["answer"] == "Until 2026-03-01."
    (citation,) = asked.json["citations"]
    assert citation["path"] == "docs/loans.md"
    assert run_in_process("replay", "last", "--verify", cwd=folder).code == 0


@pytest.mark.parametrize(
    ("words", "message_part"),
    [
        (("docs",), "ask needs a model"),
        (("gone", "--model", "x"), "gone: No such file"),
        (("docs", "--apply"), "--apply needs --write"),
        (("docs", "--write", "notes.md"), "it is a file"),
        (("--continue", "--model", "x"), "no question was asked yet"),
        (("docs/logo.png", "--model", "scripted:none.toml"), "no text file"),
    ],
)
def test_a_usage_error_is_one_line(
    folder: Path, words: tuple[str, ...], message_part: str
) -> None:
    """`folder` has docs with text and an image, docs/logo.png, and the file notes.md."""
    refused = run_in_process("ask", "why?", *words, cwd=folder)

    check_error_line(refused, UsageError.exit_code, message_part)
