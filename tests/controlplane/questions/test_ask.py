"""`ask` answers a question from the files of a folder, and cites them.

`ask "Until when may loan-02 be kept?" docs` lets a model write scripts that search and read the
files, and prints "Until 2026-03-01 [1]." with the line that says so. The models in these tests
reply with fixed scripts.
"""

import json
import re
import signal
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from controlplane.errors import Interrupted, UsageError
from tests.controlplane.questions.asked_question import (
    A_QUESTION_FAILED,
    ANSWER,
    ANSWER_THAT_FILES_DO_NOT_SAY,
    PRINTED_ANSWER,
    QUESTION,
    ask,
    scripted_model,
)
from tests.support.command import (
    check_error_line,
    clean_environment,
    command,
    run_in_process,
    wait_until,
)


class TestAnswers:
    """The answer is printed with the lines that say it, as text or as JSON.

    The file docs/loans.md of `loan_folder` has these lines, which the script of the model quotes:

        3   - loan-02: kept
        4     until 2026-03-01.

    It answers "Until 2026-03-01.". Beside the file, there are notes.md and the image docs/logo.png.
    """

    def test_the_answer_is_printed_with_path_line_and_passage(
        self, loan_folder: Path
    ) -> None:
        """`ask` prints "Until 2026-03-01 [1].", the line of the date, and the quoted passage.

        The question is recorded like a run of a benchmark, and can be replayed.
        """
        asked = ask(loan_folder, sources=("docs", "notes.md"))

        assert asked.code == 0, asked.err
        assert asked.out.startswith(PRINTED_ANSWER)
        assert "skipped: binary (docs/logo.png)\n" in asked.err
        assert "replay" in asked.err
        replayed = run_in_process("replay", "last", "--verify", cwd=loan_folder)
        assert replayed.code == 0, replayed.out

    def test_a_footnote_names_the_line_of_the_value_inside_the_quoted_passage(
        self, loan_folder: Path
    ) -> None:
        """The date is in lines 1 and 4. The script quotes lines 3 and 4, so the footnote names
        4."""
        lines = [
            "until 2026-03-01: loan-07",
            "",
            "- loan-02: kept",
            "  until 2026-03-01.",
        ]
        (loan_folder / "docs/loans.md").write_text("\n".join(lines) + "\n")

        asked = ask(loan_folder)

        expected_start = "Until 2026-03-01 [1].\n\n  [1] docs/loans.md:4\n"
        assert asked.out.startswith(expected_start), asked.out

    def test_the_answer_as_json_has_its_citations(self, loan_folder: Path) -> None:
        """The line is the one in which the quoted passage begins."""
        asked = ask(loan_folder, "--json", sources=("docs", "notes.md"))

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

    def test_show_prints_the_answer_to_the_last_question(
        self, loan_folder: Path
    ) -> None:
        ask(loan_folder)

        shown = run_in_process("show", "last", cwd=loan_folder)

        assert "Until 2026-03-01 [1]." in shown.out


CITE_OLD_VERSION = """
harness.read("/loans-2023.md")
scratchpad.cite("/loans-2023.md", "the line on loan-02 names 2026-03-01", "kept until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""
"""Reads and cites only loans-2023.md."""
READ_AND_CITE_NEW_VERSION = """
harness.read("/loans-2025.md")
scratchpad.cite("/loans-2025.md", "the line on loan-02")
"""


@pytest.fixture
def folder_of_two_versions(loan_folder: Path) -> Path:
    """The folder with loans-2023.md and loans-2025.md, which say the same."""
    for year in (2023, 2025):
        path = loan_folder / f"docs/loans-{year}.md"
        path.write_text("- loan-02: kept until 2026-03-01.\n")
    return loan_folder


class TestOldVersions:
    """An answer cites loans-2023.md, and by their names loans-2025.md is a newer version.

    Both files say "loan-02: kept until 2026-03-01." A reader of the answer should know that there
    is a newer one.
    """

    def test_a_citation_of_an_old_version_comes_with_a_note(
        self, folder_of_two_versions: Path
    ) -> None:
        asked = ask(folder_of_two_versions, script=CITE_OLD_VERSION)

        note = "(There is a newer version of docs/loans-2023.md: docs/loans-2025.md)"
        assert note in asked.out, asked.out + asked.err

    def test_a_citation_of_an_old_version_and_the_newer_one_has_no_note(
        self, folder_of_two_versions: Path
    ) -> None:
        """The reader sees both versions."""
        cite_both_versions = READ_AND_CITE_NEW_VERSION + CITE_OLD_VERSION
        asked = ask(folder_of_two_versions, script=cite_both_versions)

        assert asked.code == 0, asked.err
        assert "newer version" not in asked.out


class TestNoAnswer:
    """The files do not say it, or the model does not answer in time.

    The first is an answer, and a success. The second is a failure, with the exit code 1.
    `loan_folder` has docs/loans.md and the image docs/logo.png, which say nothing of a
    zeppelin. `ANSWER_THAT_FILES_DO_NOT_SAY` is a script that searches for it in vain, and says
    so.
    """

    def test_an_answer_that_the_files_do_not_say_it_is_a_success(
        self, loan_folder: Path
    ) -> None:
        """It tells what was searched for, and which files were not looked at.

        The script's answer is "The files of 2026-01-05 do not say it.", with today's date, and an
        escape sequence, which must not reach the terminal.
        """
        day_before = datetime.now(UTC).date()
        asked = ask(
            loan_folder, script=ANSWER_THAT_FILES_DO_NOT_SAY, question="Which zeppelin?"
        )
        day_after = datetime.now(UTC).date()

        assert asked.code == 0, asked.err
        assert asked.out.startswith("The sources do not say.")
        assert "searched for: zeppelin" in asked.out
        assert "not looked at: binary (logo.png)" in asked.out
        assert "\x1b" not in asked.out

        dates = re.findall(r"The files of (\S+) do not say it\.", asked.out)
        assert dates, asked.out
        assert dates[0] in (
            str(day_before),
            str(day_after),
        )  # Midnight may have passed.

    def test_a_question_without_an_answer_in_time_is_a_failure(
        self, loan_folder: Path
    ) -> None:
        """The model has one step, in which it does not answer."""
        never_answers = "x = 1"

        as_json = ask(loan_folder, "--max-steps", "1", "--json", script=never_answers)
        printed = ask(loan_folder, "--max-steps", "1", script=never_answers)

        assert as_json.code == A_QUESTION_FAILED
        assert as_json.json["status"] == "no_accepted_answer"
        assert printed.out.startswith(
            "No answer was accepted. (no answer within 1 step"
        )


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
        wait_until(lambda: has_finished_a_step(folder))
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == Interrupted.exit_code
    return out


class TestTerminatedQuestions:
    """A question is terminated after a script has read docs/loans.md.

    The second script of the model never ends. The program gets the signal SIGTERM meanwhile.
    The file is in `loan_folder`.
    """

    def test_a_terminated_question_names_the_files_that_it_has_read(
        self, loan_folder: Path
    ) -> None:
        """The program is terminated while the second script of the model runs."""
        assert "docs/loans.md" in output_of_terminated_question(loan_folder)

    def test_a_terminated_question_names_the_files_that_it_has_read_as_json(
        self, loan_folder: Path
    ) -> None:
        out = output_of_terminated_question(loan_folder, "--json")

        assert json.loads(out)["files_read"] == ["docs/loans.md"]


READ_AND_REPORT = """
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
"""Two replies of a model, with a call of a tool each: one reads a file, and one reports the answer
with its source. The tool for reports has further arguments, which do not matter here."""


class TestQuestionsAsRuns:
    """A question is recorded as a run of one trial, named `ask`.

    So it can be forked, reported and replayed like any other, and other agents can answer it.
    `loan_folder` has docs/loans.md, in which lines 3 and 4 say that loan-02 is kept until
    2026-03-01. `ANSWER` is a script that cites them.
    """

    def test_a_question_is_a_run_that_can_be_forked(self, loan_folder: Path) -> None:
        """A fork goes on with a recorded question at a step, here with another second reply."""
        replies = scripted_model(loan_folder, "print(1)", ANSWER)
        asked = run_in_process(
            "ask", QUESTION, "docs", *replies, "--json", cwd=loan_folder
        )

        other_replies = scripted_model(
            loan_folder, "print(1)", ANSWER_THAT_FILES_DO_NOT_SAY
        )
        place = ("--trial", "ask", "--step", "2")
        forked = run_in_process(
            "fork",
            asked.json["journal"],
            *place,
            *other_replies,
            "--json",
            cwd=loan_folder,
        )

        assert forked.code == 0, forked.err
        (trial,) = forked.json["trials"]
        assert trial["state"] == "answered"
        assert run_in_process("replay", "last", "--verify", cwd=loan_folder).code == 0

    def test_a_question_is_a_run_that_has_a_report(self, loan_folder: Path) -> None:
        """The report is the HTML page that every recorded run can have."""
        asked = ask(loan_folder, "--json")

        report = ("report", asked.json["journal"], "--output", "page.html")
        reported = run_in_process(*report, cwd=loan_folder)

        assert reported.code == 0, reported.err
        assert "Until 2026-03-01." in (loan_folder / "page.html").read_text()

    def test_a_question_is_answered_by_the_solver_with_tool_calls(
        self, loan_folder: Path
    ) -> None:
        """The model of the solver "exoskeleton" calls tools instead of writing scripts."""
        (loan_folder / "calls.toml").write_text(READ_AND_REPORT)
        options = ("--agent", "exoskeleton", "--model", "scripted:calls.toml", "--json")

        asked = run_in_process("ask", QUESTION, "docs", *options, cwd=loan_folder)

        assert asked.code == 0, asked.err + asked.out
        assert asked.json["answer"] == "Until 2026-03-01."
        (citation,) = asked.json["citations"]
        assert citation["path"] == "docs/loans.md"
        assert run_in_process("replay", "last", "--verify", cwd=loan_folder).code == 0


class TestUsageErrors:
    """A question that cannot be asked is refused in one line.

    The folder has docs with a text and an image, docs/logo.png, and the file notes.md.
    """

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
    def test_a_usage_error_is_one_line(
        self, loan_folder: Path, words: tuple[str, ...], message_part: str
    ) -> None:
        refused = run_in_process("ask", "why?", *words, cwd=loan_folder)

        check_error_line(refused, UsageError.exit_code, message_part)
