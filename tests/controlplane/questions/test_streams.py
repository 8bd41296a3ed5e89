"""What `ask` prints and returns for each kind of answer, and how it treats standard streams.

Each value of an answer comes with its place, or is marked as computed or unverified, and `--strict`
fails at the latter. Standard input can be a source, and closed streams do no harm. A question
without an answer fails, a terminated one names the files read, and an answer that the files do not
give is told with what was searched for.
"""

import os
import re
import shlex
import signal
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from controlplane.__main__ import READER_LEFT
from controlplane.errors import Interrupted, UsageError
from tests.controlplane.questions.asked_question import (
    A_QUESTION_FAILED,
    ANSWER,
    QUESTION,
    ask,
    scripted_model,
    write_files,
)
from tests.support.command import (
    CommandResult,
    check_error_line,
    clean_environment,
    command,
    run_in_process,
    run_program,
    start_controlplane,
    start_in_environment,
    wait_for_exit,
    wait_until,
)

# A script of a model that reads loans.md, cites it, and gives an answer.
#
# For example:
#
#     ask(folder, script=script_that_answers("Until 2026-03-01, for EUR 12,345.67."))


def script_that_answers(answer: str) -> str:
    """Return a script of a model that reads loans.md, cites it, and gives this answer."""
    return f"""
harness.read("/loans.md")
scratchpad.cite("/loans.md", "loan-02 is kept until 2026-03-01", "until 2026-03-01")
scratchpad["answer"] = "{answer}"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""


# Commands work without a standard stream, or if the reader of their output leaves.
#
# A service may start programs so, and `head` leaves when it has read enough.


@pytest.mark.parametrize(
    "closed_streams",
    [
        pytest.param("<&-", id="input"),
        pytest.param("2>&-", id="error"),
        pytest.param("<&- 2>&-", id="input and error"),
    ],
)
def test_a_question_is_answered_with_standard_streams_closed(
    closed_streams: str, loan_folder: Path
) -> None:
    """`<&-` closes standard input for a program that bash starts, as some services do."""
    words = command(("ask", QUESTION, "docs", *scripted_model(loan_folder, ANSWER)))
    bash_script = f"{shlex.join(words)} {closed_streams}"

    asked = run_program(["bash", "-c", bash_script], loan_folder)

    assert asked.code == 0, asked.err
    assert "2026-03-01" in asked.out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param(("show", "last", "--all"), 0, id="printed line by line"),
        pytest.param(("runs",), 0, id="printed as a table"),
        pytest.param(("show", "--help"), 0, id="help"),
        pytest.param(
            ("replay", "last", "--trial", "ask"), READER_LEFT, id="another command"
        ),
    ],
)
def test_a_command_ends_quietly_if_the_reader_of_its_pipe_has_left(
    words: tuple[str, ...], code: int, loan_folder: Path
) -> None:
    """Nobody reads the pipe any more, as after `head` has read enough. Commands that only print
    succeed."""
    assert ask(loan_folder).code == 0
    read_end, write_end = os.pipe()
    os.close(read_end)

    process = start_in_environment(
        words, env=clean_environment(), cwd=loan_folder, stdout=write_end
    )
    os.close(write_end)
    ended = wait_for_exit(process)

    assert ended.code == code
    assert ended.err == ""


# `ask` answers from the text on standard input, if it is named by `-` or the only source.
#
#     cat loans.md | controlplane ask "Until when may loan-02 be kept?"
#
# The text is kept as a file beside the journal, so that the answer can cite it.


def ask_with_input(folder: Path, text: str, *words: str) -> CommandResult:
    """Run `ask` with this text on its standard input, as in `cat loans.md | controlplane ask
    ...`."""
    process = start_in_environment(
        ("ask", QUESTION, *words),
        env=clean_environment(),
        cwd=folder,
        stdin=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(text)
    return wait_for_exit(process)  # closes standard input first


@pytest.mark.parametrize("sources", [("-",), ()], ids=["named", "not named"])
def test_standard_input_is_a_source(sources: tuple[str, ...], tmp_path: Path) -> None:
    """It is kept as a file, readable by its owner alone, which can be cited."""
    text = "# Loans\n- loan-02: kept until 2026-03-01.\n"
    model = scripted_model(tmp_path, ANSWER)

    asked = ask_with_input(tmp_path, text, *sources, *model, "--json")

    assert asked.code == 0, asked.err
    (citation,) = asked.json["citations"]
    assert citation["line"] == 2
    assert citation["path"].startswith("runs/standard-input/")
    kept_input = tmp_path / citation["path"]
    assert kept_input.read_text() == text
    permissions = kept_input.stat().st_mode & 0o777
    assert permissions == 0o600


def test_an_empty_standard_input_is_refused_as_a_source(loan_folder: Path) -> None:
    """A pipe from a program that failed is often empty."""
    refused = ask_with_input(loan_folder, " ", "-", "--model", "m")

    message = "there is no text on standard input"
    check_error_line(refused, UsageError.exit_code, message)


def test_a_message_says_that_standard_input_is_not_read_beside_other_sources(
    loan_folder: Path,
) -> None:
    """The user may have meant it as a source, beside the folder docs."""
    text = (loan_folder / "docs/loans.md").read_text()
    model = scripted_model(loan_folder, ANSWER)

    asked = ask_with_input(loan_folder, text, "docs", *model)

    assert "standard input is not read; name it as a source: -" in asked.err


# A value of an answer by `ask` that is in no file may be computed by a script.
#
# The file says "23 days at 7.35", and the answer "It costs 169.05.":
#
#     {"text": "169.05", "support": "computed", ...}


def test_a_value_that_a_script_inserts_is_marked_as_computed(tmp_path: Path) -> None:
    write_files(tmp_path, {"docs/fee.txt": "23 days at 7.35"})
    model = scripted_model(
        tmp_path,
        """
days, _days, _at, fee = harness.read("/fee.txt").content.split()
scratchpad["answer"] = f"It costs {int(days) * float(fee):.2f}."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad.cite("/fee.txt", "23 days at 7.35")
harness.answer(scratchpad, lambda sp: "169.05" in sp["answer"])
""",
    )

    asked = run_in_process(
        "ask", "What does the loan cost?", "docs", "--json", *model, cwd=tmp_path
    )

    (claim,) = asked.json["claims"]
    assert claim["text"] == "169.05"  # 23 * 7.35
    assert claim["support"] == "computed"


def test_a_value_that_the_model_types_after_a_script_printed_it_is_computed(
    tmp_path: Path,
) -> None:
    """In `facts`, the model says from where it has the value."""
    write_files(tmp_path, {"docs/fee.txt": "23 days at 7.35"})
    model = scripted_model(
        tmp_path,
        """
days, _days, _at, fee = harness.read("/fee.txt").content.split()
print(int(days) * float(fee))
""",
        """
scratchpad["answer"] = "It costs 169.05."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad.cite("/fee.txt", "23 days at 7.35")
scratchpad["facts"] = {
    "cost": {"value": "169.05", "confidence": "derived", "source": "/fee.txt"}
}
harness.answer(scratchpad, lambda sp: "169.05" in sp["answer"])
""",
    )

    asked = run_in_process(
        "ask", "What does the loan cost?", "docs", "--json", *model, cwd=tmp_path
    )

    (claim,) = asked.json["claims"]
    assert claim["text"] == "169.05"  # 23 * 7.35
    assert claim["support"] == "computed"


# Each value of an answer by `ask` is looked up in the files, and comes with its place.
#
# To "Until when may loan-02 be kept?", a model answers "Until 2026-03-01." The date is in a file:
#
#     {"text": "2026-03-01", "support": "found", "source": "docs/loans.md", "line": 2, ...}


def test_a_value_comes_with_the_place_where_it_was_found(tmp_path: Path) -> None:
    write_files(tmp_path, {"docs/loans.md": "# Loans\nloan-02: until 2026-03-01\n"})
    script = script_that_answers("Until 2026-03-01.")

    asked = ask(tmp_path, "--json", script=script)

    assert asked.json["claims"] == [
        {
            "start": len("Until "),
            "end": len("Until 2026-03-01"),
            "kind": "date",
            "text": "2026-03-01",
            "support": "found",
            "source": "docs/loans.md",
            "line": 2,
            "under": "loan-02",
            "note": "",
        }
    ]


def test_a_strict_question_succeeds_if_files_contain_all_values(tmp_path: Path) -> None:
    write_files(tmp_path, {"docs/loans.md": "# Loans\nloan-02: until 2026-03-01\n"})
    script = script_that_answers("Until 2026-03-01.")

    asked = ask(tmp_path, "--strict", script=script)

    assert asked.code == 0
    assert "unverified" not in asked.out


# A value of an answer by `ask` that is in no file is marked as unverified.
#
# To "Until when may loan-02 be kept?", a model answers "Until 2026-03-01, for EUR 12,345.67." If the
# amount is in no file, and no script has computed it, the user reads "EUR 12,345.67 [unverified]". With
# `--strict`, such an answer is a failure. A name is not a value, so none is marked.


def test_a_value_that_no_file_contains_is_marked_unverified(tmp_path: Path) -> None:
    """The answer counts all the same, and the model is not asked about the value."""
    write_files(tmp_path, {"docs/loans.md": "# Loans\nloan-02: until 2026-03-01\n"})
    script = script_that_answers(
        "Until 2026-03-01, says Nowak Trading AG, for EUR 12,345.67."
    )

    asked = ask(tmp_path, script=script)

    assert asked.code == 0, asked.err
    assert "says Nowak Trading AG, for EUR 12,345.67 [unverified]." in asked.out
    assert "unverified: 12,345.67" in asked.out
    assert "changed: nothing" in asked.out
    assert "questioned" not in asked.out


def test_show_and_report_work_for_an_answer_with_an_unverified_value(
    tmp_path: Path,
) -> None:
    write_files(tmp_path, {"docs/loans.md": "# Loans\nloan-02: until 2026-03-01\n"})
    script = script_that_answers("Until 2026-03-01, for EUR 12,345.67.")
    ask(tmp_path, script=script)

    shown = run_in_process("show", "last", cwd=tmp_path)
    reported = run_in_process("report", "last", "-o", "r.html", cwd=tmp_path)

    assert "12,345.67 [unverified]" in shown.out
    assert reported.code == 0, reported.err


def test_a_strict_question_fails_if_no_file_contains_a_value(tmp_path: Path) -> None:
    """The model is not asked to mend its answer, so there is only one step."""
    write_files(tmp_path, {"docs/loans.md": "# Loans\nloan-02: until 2026-03-01\n"})
    script = script_that_answers("Until 2026-03-01, for EUR 12,345.67.")

    asked = ask(tmp_path, "--strict", "--json", script=script)

    assert asked.code == A_QUESTION_FAILED
    assert asked.json["steps"] == 1
    supports = {claim["text"]: claim["support"] for claim in asked.json["claims"]}
    assert supports == {"2026-03-01": "found", "12,345.67": "missing"}


# `ask` fails if the model gives no answer in the steps that it has.
#
# For example:
#
#     --max-steps 1    ->    No answer was accepted. (no answer within 1 step ...


def test_a_question_without_an_answer_in_time_is_a_failure(tmp_path: Path) -> None:
    """The model has one step, in which it does not answer."""
    write_files(tmp_path, {"docs/a.md": "fee: 7\n"})

    as_json = ask(tmp_path, "--max-steps", "1", "--json", script="x = 1")
    printed = ask(tmp_path, "--max-steps", "1", script="x = 1")

    assert as_json.code == A_QUESTION_FAILED
    assert as_json.json["status"] == "no_accepted_answer"
    assert printed.out.startswith("No answer was accepted. (no answer within 1 step")


# `ask` that is terminated by a signal names the files that it has read.
#
# The signal comes in the model's second step, whose script never ends. The first one has read docs/a.md.


def has_finished_a_step(folder: Path) -> bool:
    """Return whether a journal below the folder has the event of a step's end."""
    journals = folder.glob("runs/*.jsonl")
    return any('"type":"step"' in journal.read_text() for journal in journals)


@pytest.mark.parametrize("as_json", [False, True], ids=["as text", "as json"])
def test_a_terminated_question_names_the_files_that_it_has_read(
    as_json: bool, tmp_path: Path
) -> None:
    write_files(tmp_path, {"docs/a.md": "fee: 7\n", "docs/b.md": "fee: 12\n"})
    model = scripted_model(
        tmp_path, "harness.read('/a.md')\nprint('read')", "while True:\n    pass"
    )
    words = ["ask", "What is the fee?", "docs", *model]
    if as_json:
        words.append("--json")

    process = start_controlplane(*words, cwd=tmp_path)
    wait_until(lambda: has_finished_a_step(tmp_path))
    process.send_signal(signal.SIGTERM)
    terminated = wait_for_exit(process)

    assert terminated.code == Interrupted.exit_code
    if as_json:
        assert terminated.json["files_read"] == ["docs/a.md"]
    else:
        assert "docs/a.md" in terminated.out


# `ask` tells the user that the files do not answer the question, and what was searched for.
#
# the model submits    "The files do not say it.", with the outcome OUTCOME_NONE_UNSUPPORTED
# `ask` prints         The sources do not say.        a heading of the product
#                      The files do not say it.       the model's answer
#                      searched for: zeppelin


def unsupported(answer: str) -> str:
    """Return the script of a model that searches in vain, and submits this answer.

    `harness.answer` submits it, if the function beside it, a check of the model's own, is true.
    """
    return f"""
from datetime import date
harness.search("zeppelin")
scratchpad["answer"] = {answer}
scratchpad["outcome"] = "OUTCOME_NONE_UNSUPPORTED"
harness.answer(scratchpad, lambda scratchpad: "not" in scratchpad["answer"])
"""


def test_an_unsupported_answer_is_a_success(tmp_path: Path) -> None:
    """`ask` also names the files that the search has left out."""
    write_files(tmp_path, {"docs/a.md": "fee: 7\n", "docs/logo.png": "\0"})

    asked = ask(tmp_path, script=unsupported('"The files do not say it."'))

    assert asked.code == 0, asked.err
    assert asked.out.startswith("The sources do not say.")
    assert "The files do not say it." in asked.out
    assert "searched for: zeppelin" in asked.out
    assert "not looked at: binary (logo.png)" in asked.out


def test_an_escape_sequence_of_the_model_does_not_reach_the_terminal(
    tmp_path: Path,
) -> None:
    """The sequence `\\x1b[31m` would turn the rest of the model's answer red."""
    write_files(tmp_path, {"docs/a.md": "fee: 7\n"})

    asked = ask(tmp_path, script=unsupported(r'"The files \x1b[31mdo not say it."'))

    assert asked.out.startswith("The sources do not say.")
    assert "do not say it." in asked.out
    assert "\x1b" not in asked.out


def test_scripts_know_todays_date(tmp_path: Path) -> None:
    """The answer of this script has the date."""
    write_files(tmp_path, {"docs/a.md": "fee: 7\n"})
    script = unsupported('f"The files of {date.today()} do not say it."')

    date_before_asking = datetime.now(UTC).date()
    asked = ask(tmp_path, script=script)
    date_after_asking = datetime.now(UTC).date()  # the next day if midnight has passed

    (date,) = re.findall(r"The files of (\S+) do not say it\.", asked.out)
    assert date in (str(date_before_asking), str(date_after_asking))
