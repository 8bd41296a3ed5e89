"""The benchmark `folder`, whose tasks somebody writes into a folder as `task.toml` files.

    tasks/stock/task.toml     instruction = "Write the stock of A-7 into /stock.txt."
    tasks/stock/files/a.txt   the files that the agent sees, here as /a.txt

An answer is graded by what the file expects, by a program `grade.py` beside it, or by a
rubric, which a model reads. Each test runs a command with replies from a script.
"""

import json
import math
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from controlplane.benchmarks.folder.expected_grader import (
    expected_grade,
    values_lacking,
)
from controlplane.benchmarks.folder.task_folder import read_folder
from controlplane.benchmarks.folder.trial_environment import environment_of
from controlplane.gates.submission import OK, UNSUPPORTED
from tests.support.command import ROOT, CommandResult, run_controlplane, run_in_process

pytestmark = pytest.mark.usefixtures("shared_fork_servers")

LIBRARY = ROOT / "docs/examples/library"
"""The sample of the documentation: three tasks about the files of a library."""
LIBRARY_REPLIES = ROOT / "docs/examples/library.toml"
"""Scripted replies that solve these tasks."""

# Exit codes of commands: without errors, for wrong arguments, and for trials that have no grade
SUCCESS = 0
USAGE_ERROR = 2
UNGRADED_TRIALS = 3


def test_the_sample_tasks_are_played_replayed_and_graded_again(tmp_path: Path) -> None:
    """`replay --verify` runs the recorded scripts again, and `judge --grader` the graders."""
    run = run_in_process(
        "run",
        *("--benchmark", f"folder:{LIBRARY}"),
        *("--model", f"scripted:{LIBRARY_REPLIES}"),
        *("--repeats", "2"),
        "--json",
        cwd=tmp_path,
    )
    replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)
    judge = run_in_process("judge", "last", "--grader", cwd=tmp_path)

    assert run.code == SUCCESS, run.err
    assert run.json["score"] == 1.0
    assert len(run.json["trials"]) == 6  # three tasks, each twice
    assert replay.code == SUCCESS
    assert "6 trials graded again, 0 changed" in judge.out


# Grades by what a task expects: the outcome, the message, citations and changes ----------------------

OVERDUE_LOANS = ("/loans/loan-01.json", "/loans/loan-03.json")
"""The files that a right answer to the sample task `overdue-loans` cites."""


class LoansAnswer(NamedTuple):
    """An answer to the task `overdue-loans`. The default is right: two loans are overdue."""

    message: str = "[COUNT:2]"
    outcome: str = OK
    citations: tuple[str, ...] = OVERDUE_LOANS
    changing_code: str = ""
    """Code that changes a file before the answer; the right answer changes none."""


def play_overdue_loans(folder: Path, answer: LoansAnswer) -> dict[str, Any]:
    """Run the sample task with a script that gives this answer, and return the trial."""
    replies = folder / "replies.toml"
    replies.write_text(f"""
[[reply]]
code = '''
for path in {answer.citations!r}:
    loan = harness.read(path).json()
    scratchpad.cite(path, loan["id"] + " was due on " + loan["due"])
{answer.changing_code}
scratchpad["answer"] = {answer.message!r}
scratchpad["outcome"] = {answer.outcome!r}

def verify(sp):
    return sp["answer"] == {answer.message!r} and bool(sp["refs_why"])

harness.answer(scratchpad, verify)
'''
""")
    run = run_in_process(
        "run",
        "overdue-loans",
        *("--benchmark", f"folder:{LIBRARY}"),
        *("--model", f"scripted:{replies}"),
        *("--gates", "none"),  # They would send most of the wrong answers back.
        "--json",
        cwd=folder,
    )
    assert run.json["trials"], run.err
    trial: dict[str, Any] = run.json["trials"][0]
    return trial


def test_a_right_answer_scores_one(tmp_path: Path) -> None:
    """All of the answer's fields are as the task expects them."""
    trial = play_overdue_loans(tmp_path, LoansAnswer())

    assert trial["score"] == 1.0


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        pytest.param(
            LoansAnswer(message="[COUNT:3]"),
            'Answer should be "[COUNT:2]"',
            id="another message",
        ),
        pytest.param(
            LoansAnswer(outcome=UNSUPPORTED),
            "expected outcome OUTCOME_OK",
            id="another outcome",
        ),
        pytest.param(
            LoansAnswer(citations=OVERDUE_LOANS[:1]),
            "answer missing required reference '/loans/loan-03.json'",
            id="a citation that is missing",
        ),
        pytest.param(
            LoansAnswer(citations=(*OVERDUE_LOANS, "/loans/loan-02.json")),
            "invalid reference '/loans/loan-02.json'",
            id="a citation too many",
        ),
        pytest.param(
            LoansAnswer(changing_code='harness.write("/loans/x", "")'),
            "expected no file changes",
            id="a written file",
        ),
        pytest.param(
            LoansAnswer(changing_code='harness.delete("/loans/loan-04.json")'),
            "expected no file changes",
            id="a deleted file",
        ),
    ],
)
def test_each_fault_costs_the_score_and_is_reported(
    answer: LoansAnswer, detail: str, tmp_path: Path
) -> None:
    """Each answer differs from the right one in one field."""
    trial = play_overdue_loans(tmp_path, answer)

    assert trial["score"] == 0.0
    assert detail in str(trial["details"])


TASK_WITHOUT_REFERENCES = f"""\
instruction = "Until when?"
[expected]
outcome = "{OK}"
contains = ["2027-04-16"]
"""
"""A task whose right message is expected to contain a date. No citations are required."""

REPLY_WITH_CITATION = f"""\
[[reply]]
code = '''
harness.read("/loans.md")
scratchpad.cite("/loans.md", "the line on loan-02")
scratchpad["answer"] = "2027-04-16"
scratchpad["outcome"] = "{OK}"
harness.answer(scratchpad, lambda sp: True)
'''
"""
"""The model reads a file, cites it, and answers with the date."""


@pytest.mark.parametrize(
    ("allowed_citations", "score"),
    [
        pytest.param("", 1.0, id="the task says nothing of citations"),
        pytest.param("tolerated = []\n", 0.0, id="no citation is tolerated"),
        pytest.param('free = ["/l"]\n', 1.0, id="any file that begins with /l may be"),
    ],
)
def test_a_citation_is_graded_only_if_the_task_says_which_are_allowed(
    allowed_citations: str, score: float, tmp_path: Path
) -> None:
    """The answer cites `/loans.md`, and has the expected date."""
    files = tmp_path / "tasks/one/files"
    files.mkdir(parents=True)
    (files / "loans.md").write_text("loan-02: kept until 2027-04-16\n")
    (tmp_path / "tasks/one/task.toml").write_text(
        TASK_WITHOUT_REFERENCES + allowed_citations
    )
    (tmp_path / "replies.toml").write_text(REPLY_WITH_CITATION)

    run = run_in_process(
        "run",
        *("--benchmark", "folder:tasks"),
        *("--model", "scripted:replies.toml"),
        *("--gates", "none"),
        "--json",
        cwd=tmp_path,
    )

    assert run.json["score"] == score


def faults_by_pattern(folder: Path, *, pattern: str, message: str) -> tuple[str, ...]:
    """Return the faults of a message if the task expects one that fits this pattern."""
    shutil.copytree(LIBRARY / "desk", folder / "tasks/one/files")
    (folder / "tasks/one/task.toml").write_text(
        f"instruction = 'x'\n[expected]\noutcome = '{OK}'\npattern = '{pattern}'\n"
    )
    task = read_folder(folder / "tasks").tasks["one"]
    environment = environment_of(task)
    environment.answer(message, OK, ())
    return expected_grade(task, environment).details


def test_a_message_that_fits_the_expected_pattern_has_no_fault(tmp_path: Path) -> None:
    """Blanks around the message do not count."""
    faults = faults_by_pattern(tmp_path, pattern=r"\d+ loans", message=" 2 loans\n")

    assert faults == ()


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        pytest.param(r"\d+ loans", "2 loans!", id="a sign too many"),
        pytest.param(
            "(a+)+b",
            "a" * 60,
            id="a pattern that takes ages in an engine that backtracks",
        ),
    ],
)
def test_a_message_that_does_not_fit_the_expected_pattern_is_a_fault(
    pattern: str, message: str, tmp_path: Path
) -> None:
    """The pattern has to fit the whole message, in an engine that never takes long."""
    faults = faults_by_pattern(tmp_path, pattern=pattern, message=message)

    assert faults[0].startswith("answer should fit the pattern")


@pytest.mark.parametrize(
    ("right_answer", "message", "missing_values"),
    [
        pytest.param(
            "EUR 1,250.00 by 3 May 2026, says Ada Lovelace.",
            "Ada Lovelace wants 1250 EUR until 2026-05-03",
            [],
            id="the same values in other formats",
        ),
        pytest.param(
            "EUR 1,250.00 by 3 May 2026.",
            "EUR 1,520.00 by 3 May 2026",
            ["1,250.00"],
            id="another amount",
        ),
        pytest.param(
            "loan-02 is kept 14 days.",
            "two weeks: 14 days",
            [],
            id="an id that the question has already",
        ),
        pytest.param(
            "Helvetia.", "The insurer is HELVETIA", [], id="the name in capitals"
        ),
        pytest.param(
            "Helvetia.", "The insurer is Allianz", ["helvetia"], id="another name"
        ),
        pytest.param("No.", "Yes, of course", ["no"], id="yes instead of no"),
        pytest.param(
            "The tenant has to have the heating serviced every year.",
            "A yearly service, by the tenant",
            [],
            id="no values at all",
        ),
    ],
)
def test_a_message_must_have_the_values_of_the_right_answer(
    right_answer: str, message: str, missing_values: list[str]
) -> None:
    """A task may give an example of a right answer. Its values and names are demanded in any
    wording, except for those that are in the question already."""
    question = "What about loan-02, and who is the insurer?"

    assert values_lacking(message, right_answer, question) == missing_values


# Folders that cannot be played ------------------------------------------------------------------------

TASK_WITH_MISSPELT_KEY = 'instruction = "x"\nexpected = { outcom = "y" }\n'
TASK_OF_HARBOR = 'version = "1.0"\n[verifier]\ntimeout_sec = 60.0\n'
"""The form of another benchmark, Harbor, whose tasks are in folders, too."""
TASK_WITHOUT_GRADING = 'instruction = "Write the stock of A-7 into /stock.txt."\n'
"""A task with an instruction only."""


@pytest.mark.parametrize(
    ("benchmark", "refusal"),
    [
        pytest.param(
            "folder", "which folder? Name it as folder:DIR", id="no folder is named"
        ),
        pytest.param(
            "folder:none", "none: there is no such folder", id="no such folder"
        ),
        pytest.param(
            "folder:misspelt",
            "one/task.toml: expected.outcom: there is no such key; did you mean 'outcome'?",
            id="a misspelt key",
        ),
        pytest.param(
            "folder:harbor",
            "this is a task of Harbor, which runs in its container",
            id="a task of another benchmark",
        ),
        pytest.param(
            "folder:ungraded",
            "nothing says what is right: give [expected], a rubric, or a grade.py beside it",
            id="a task that cannot be graded",
        ),
    ],
)
def test_a_folder_that_cannot_be_played_is_refused_in_one_line(
    benchmark: str, refusal: str, tmp_path: Path
) -> None:
    """The test writes three folders, each with a task that has a fault."""
    for name, text in {
        "misspelt": TASK_WITH_MISSPELT_KEY,
        "harbor": TASK_OF_HARBOR,
        "ungraded": TASK_WITHOUT_GRADING,
    }.items():
        (tmp_path / name / "one/files").mkdir(parents=True)
        (tmp_path / name / "one/files/a.txt").write_text("A-7: 12")
        (tmp_path / name / "one/task.toml").write_text(text)
    (tmp_path / "harbor/one/environment").mkdir()
    (tmp_path / "harbor/one/instruction.md").write_text("Say hello.")

    run = run_in_process(
        "run",
        *("--benchmark", benchmark),
        *("--model", f"scripted:{LIBRARY_REPLIES}"),
        cwd=tmp_path,
    )

    assert run.code == USAGE_ERROR
    assert refusal in run.err
    assert len(run.err.splitlines()) == 1


def test_after_a_change_of_the_folder_a_run_is_replayed_but_not_run_again(
    tmp_path: Path,
) -> None:
    """`rerun` needs the files as they were; `replay` has all results in the journal."""
    shutil.copytree(LIBRARY, tmp_path / "library")
    run = run_in_process(
        "run",
        "overdue-loans",
        *("--benchmark", "folder:library"),
        *("--model", f"scripted:{LIBRARY_REPLIES}"),
        "--json",
        cwd=tmp_path,
    )
    assert run.json["score"] == 1.0
    (tmp_path / "library/desk/docs/privacy.md").write_text("other\n", encoding="utf-8")

    rerun = run_in_process("rerun", "last", cwd=tmp_path)
    replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)

    assert rerun.code == USAGE_ERROR
    assert "world" in rerun.err
    assert replay.code == SUCCESS


# Grades by a program -----------------------------------------------------------------------------------

STOCK_TASK = 'instruction = "Write the stock of A-7 into /stock.txt."\n'
"""The `task.toml` of the task `stock`. It is graded by a program or a rubric."""

STOCK_REPLY = """
[[reply]]
code = '''
harness.write("/stock.txt", "12 pieces")
scratchpad["answer"] = "Written: 12 pieces."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["changes"] = ["/stock.txt"]
harness.answer(scratchpad, lambda sp: "12" in sp["answer"])
'''
"""
"""The scripted reply to the task: it writes the stock, and answers "Written: 12 pieces."."""


def write_stock_task(folder: Path, text: str = STOCK_TASK, grader: str = "") -> None:
    """Write the task `stock` into the folder `tasks`.

    `grader` is the text of its `grade.py`, a program that grades answers by a function `grade`.
    """
    (folder / "tasks/stock/files").mkdir(parents=True)
    (folder / "tasks/stock/files/a.txt").write_text("A-7: 12")
    (folder / "tasks/stock/task.toml").write_text(text)
    if grader:
        (folder / "tasks/stock/grade.py").write_text(grader)


def run_stock_task(folder: Path, *, verdicts: tuple[str, ...] = ()) -> CommandResult:
    """Run the task `stock` with the scripted reply.

    `verdicts` are the replies of the model that grades by a rubric, in their order.
    """
    replies = STOCK_REPLY
    for text in verdicts:
        replies += f"[[reply]]\nrole = 'grade'\ntext = '''{text}'''\n"
    (folder / "replies.toml").write_text(replies)
    return run_controlplane(
        "run",
        *("--benchmark", "folder:tasks"),
        *("--model", "scripted:replies.toml"),
        "--json",
        cwd=folder,
    )


GRADER_BY_MESSAGE = """\
def grade(answer, outcome, citations, changes):
    return '12' in answer and outcome == 'OUTCOME_OK'
"""
GRADER_WITH_DETAILS = """\
def grade(answer, outcome, citations, changes):
    return 0.5, [changes['/stock.txt'], str(citations)]
"""
GRADER_OF_ANOTHER_MESSAGE = """\
def grade(answer, outcome, citations, changes):
    return answer == '13'
"""
"""Three graders. `changes` has the texts of changed files: `{"/stock.txt": "12 pieces"}`."""


@pytest.mark.parametrize(
    ("grader", "score", "details"),
    [
        pytest.param(GRADER_BY_MESSAGE, 1.0, [], id="true is 1"),
        pytest.param(
            GRADER_WITH_DETAILS, 0.5, ["12 pieces", "[]"], id="a score with details"
        ),
        pytest.param(GRADER_OF_ANOTHER_MESSAGE, 0.0, [], id="false is 0"),
    ],
)
def test_a_grader_gets_answer_outcome_citations_and_changes(
    grader: str, score: float, details: list[str], tmp_path: Path
) -> None:
    """A grader returns True or False, or a score with details."""
    write_stock_task(tmp_path, grader=grader)

    run = run_stock_task(tmp_path)

    (trial,) = run.json["trials"]
    assert trial["score"] == score, run.err
    assert trial["details"] == details


GRADER_THAT_READS_A_FILE = """\
def grade(answer, outcome, citations, changes):
    return open('/etc/passwd').read()
"""
GRADER_THAT_RETURNS_A_TEXT = """\
def grade(answer, outcome, citations, changes):
    return 'good'
"""
GRADER_THAT_IS_NO_PYTHON = "def grade(:\n"
"""Three graders that give no score."""


@pytest.mark.parametrize(
    ("grader", "reason"),
    [
        pytest.param(GRADER_THAT_READS_A_FILE, "grade.py: ", id="reads a file"),
        pytest.param(GRADER_THAT_RETURNS_A_TEXT, "return a score", id="returns a text"),
        pytest.param(GRADER_THAT_IS_NO_PYTHON, "grade.py: ", id="is no Python"),
    ],
)
def test_a_grader_that_fails_leaves_its_trial_without_a_score(
    grader: str, reason: str, tmp_path: Path
) -> None:
    """Graders run in the sandbox, so they can't read files of the computer."""
    write_stock_task(tmp_path, grader=grader)

    run = run_stock_task(tmp_path)

    (trial,) = run.json["trials"]
    assert run.code == UNGRADED_TRIALS
    assert trial["score"] is None
    assert trial["state"] == "open"
    assert reason in trial["reason"]


def test_resume_grades_by_a_grader_that_was_corrected(tmp_path: Path) -> None:
    """The first grader takes too few arguments. The answer is not asked for again."""
    write_stock_task(tmp_path, grader="def grade(answer):\n    return 1\n")
    run = run_stock_task(tmp_path)
    assert run.code == UNGRADED_TRIALS

    (tmp_path / "tasks/stock/grade.py").write_text(GRADER_BY_MESSAGE)
    resumed = run_controlplane("resume", "last", "--json", cwd=tmp_path)

    assert resumed.code == SUCCESS, resumed.err
    assert resumed.json["score"] == 1.0


# Grades by a rubric ------------------------------------------------------------------------------------

TASK_WITH_RUBRIC = STOCK_TASK + 'rubric = "The answer names the article A-7."\n'
"""A task that a model grades: it reads the answer and the rubric, and replies with a verdict.

Each fault in a verdict must quote the answer or the rubric. Otherwise the verdict does not
count, and the model is asked once more. If the second one does not count either, the trial has no
score.
"""


def verdict(score: float, *quotes: str) -> str:
    """Return a verdict with one fault for each quotation.

    `verdict(0.5, "12")` -> `{"faults": [{"quote": "12", "fault": "it is wrong"}], "score": 0.5}`
    """
    faults = [{"quote": quote, "fault": "it is wrong"} for quote in quotes]
    return json.dumps({"faults": faults, "score": score})


@pytest.mark.parametrize(
    ("text", "score", "details"),
    [
        pytest.param(verdict(1), 1.0, [], id="no fault"),
        pytest.param(
            verdict(0.5, "written:  12 PIECES"),
            0.5,
            ["it is wrong: 'written:  12 PIECES'"],
            id="quotes the answer with other blanks and capitals",
        ),
        pytest.param(
            verdict(0, "names the article A-7"),
            0.0,
            ["it is wrong: 'names the article A-7'"],
            id="quotes the rubric",
        ),
    ],
)
def test_a_verdict_whose_faults_quote_answer_or_rubric_counts(
    text: str, score: float, details: list[str], tmp_path: Path
) -> None:
    """The model that grades is asked once."""
    write_stock_task(tmp_path, TASK_WITH_RUBRIC)

    run = run_stock_task(tmp_path, verdicts=(text,))

    (trial,) = run.json["trials"]
    assert trial["score"] == score, run.err
    assert trial["details"] == details
    assert run.json["roles"]["grade"]["replies"] == 1


@pytest.mark.parametrize(
    ("first_verdict", "second_verdict", "score", "details"),
    [
        pytest.param(
            verdict(0, "13 pieces"),
            verdict(0, "12 pieces"),
            0.0,
            ["it is wrong: '12 pieces'"],
            id="the first quotes what nobody said",
        ),
        pytest.param(
            verdict(0.2),
            f"```json\n{verdict(1)}\n```",
            1.0,
            [],
            id="the first lowers the score without a fault",
        ),
        pytest.param(
            verdict(5, "12 pieces"),
            verdict(0.5, "12 pieces"),
            0.5,
            ["it is wrong: '12 pieces'"],
            id="the first has a score above 1",
        ),
        pytest.param(
            verdict(1, "12 pieces"),
            verdict(math.nan),
            None,
            [],
            id="the first has a fault and the full score, the second no number",
        ),
    ],
)
def test_after_a_verdict_that_does_not_count_a_second_one_is_asked_for(
    first_verdict: str,
    second_verdict: str,
    score: float | None,
    details: list[str],
    tmp_path: Path,
) -> None:
    """A fault has to quote what was said, and a lower score needs a fault."""
    write_stock_task(tmp_path, TASK_WITH_RUBRIC)

    run = run_stock_task(tmp_path, verdicts=(first_verdict, second_verdict))

    (trial,) = run.json["trials"]
    assert trial["score"] == score, run.err
    assert trial["details"] == details
    assert run.json["roles"]["grade"]["replies"] == 2


def test_after_two_verdicts_that_do_not_count_resume_asks_for_another(
    tmp_path: Path,
) -> None:
    """The trial has no score until a model gives a verdict that counts."""
    write_stock_task(tmp_path, TASK_WITH_RUBRIC)
    run = run_stock_task(
        tmp_path, verdicts=(verdict(0, "13 pieces"), verdict(0, "14 pieces"))
    )
    (trial,) = run.json["trials"]
    assert trial["score"] is None
    assert (
        "'14 pieces' stands neither in the answer nor in the rubric" in trial["reason"]
    )

    # From here on, the script's first verdict quotes the answer.
    replies = (tmp_path / "replies.toml").read_text()
    (tmp_path / "replies.toml").write_text(replies.replace("13 pieces", "12 pieces"))
    resumed = run_controlplane("resume", "last", "--json", cwd=tmp_path)

    assert resumed.code == SUCCESS, resumed.err
    assert resumed.json["score"] == 0.0
