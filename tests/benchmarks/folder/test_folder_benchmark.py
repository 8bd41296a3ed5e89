"""Tasks in a folder, from the command line to the grade:
by what is expected, by a grade.py, by a rubric."""

import json
import math
import shutil
from pathlib import Path

import pytest

from controlplane.benchmarks.folder.expected_grader import (
    expected_grade,
    values_lacking,
)
from controlplane.benchmarks.folder.task_folder import read_folder
from controlplane.benchmarks.folder.trial_environment import environment_of
from tests.support.command import ROOT, CommandResult, run_controlplane, run_in_process

pytestmark = pytest.mark.usefixtures("shared_fork_servers")

LIBRARY = ROOT / "docs/examples/library"
REPLIES = ROOT / "docs/examples/library.toml"
OK = "OUTCOME_OK"

# Exit codes of commands
SUCCESS = 0
USAGE_ERROR = 2
UNGRADED_TRIALS = 3

OVERDUE_LOANS = ["/loans/loan-01.json", "/loans/loan-03.json"]
"""The loans that a right answer to the sample task `overdue-loans` cites."""


def overdue_loans_replies(
    answer: str, outcome: str, citations: list[str], more_code: str
) -> str:
    """Return a scripted reply that reads three loans, cites some of them, and answers."""
    return f"""
[[reply]]
code = '''
for path in ["/loans/loan-01.json", "/loans/loan-03.json", "/loans/loan-02.json"]:
    loan = harness.read(path).json()
    if path in {citations!r}:
        scratchpad.cite(path, loan["id"] + " was due on " + loan["due"])
{more_code}
scratchpad["answer"] = {answer!r}
scratchpad["outcome"] = {outcome!r}
harness.answer(scratchpad, lambda sp: sp["answer"] == {answer!r} and bool(sp["refs_why"]))
'''
"""


def play_sample_task(
    folder: Path, task: str, replies: str, *flags: str
) -> dict[str, object]:
    """Run one task of the sample folder with scripted replies, and return its trial."""
    script = folder / "replies.toml"
    script.write_text(replies, encoding="utf-8")
    run = run_in_process(
        "run",
        task,
        *("--benchmark", f"folder:{LIBRARY}"),
        *("--model", f"scripted:{script}"),
        *flags,
        "--json",
        cwd=folder,
    )
    assert run.json["trials"], run.err
    trial: dict[str, object] = run.json["trials"][0]
    return trial


def test_the_samples_are_played_verified_and_graded_anew(tmp_path: Path) -> None:
    run = run_in_process(
        "run",
        *("--benchmark", f"folder:{LIBRARY}"),
        *("--model", f"scripted:{REPLIES}"),
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


@pytest.mark.parametrize(
    ("more", "score"), [("", 1.0), ("tolerated = []\n", 0.0), ('free = ["/l"]\n', 1.0)]
)
def test_citations_are_graded_if_the_task_names_any(
    more: str, score: float, tmp_path: Path
) -> None:
    (tmp_path / "tasks/one/files").mkdir(parents=True)
    (tmp_path / "tasks/one/files/loans.md").write_text(
        "loan-02: kept until 2027-04-16\n"
    )
    task = f'instruction = "Until when?"\n[expected]\noutcome = "{OK}"\ncontains = ["2027-04-16"]\n{more}'
    (tmp_path / "tasks/one/task.toml").write_text(task)
    (tmp_path / "replies.toml").write_text(
        "[[reply]]\ncode = '''\n"
        "harness.read('/loans.md')\nscratchpad.cite('/loans.md', 'the line on loan-02')\n"
        f"scratchpad['answer'], scratchpad['outcome'] = '2027-04-16', '{OK}'\n"
        "harness.answer(scratchpad, lambda sp: True)\n'''\n"
    )
    flags = (
        "--benchmark",
        "folder:tasks",
        "--model",
        "scripted:replies.toml",
        "--gates",
        "none",
    )

    assert run_in_process("run", *flags, "--json", cwd=tmp_path).json["score"] == score


@pytest.mark.parametrize(
    ("answer", "outcome", "citations", "more_code", "detail"),
    [
        ("[COUNT:3]", OK, OVERDUE_LOANS, "", 'Answer should be "[COUNT:2]"'),
        (
            "[COUNT:2]",
            "OUTCOME_NONE_UNSUPPORTED",
            OVERDUE_LOANS,
            "",
            "expected outcome OUTCOME_OK",
        ),
        (
            "[COUNT:2]",
            OK,
            OVERDUE_LOANS[:1],
            "",
            "answer missing required reference '/loans/loan-03.json'",
        ),
        (
            "[COUNT:2]",
            OK,
            [*OVERDUE_LOANS, "/loans/loan-02.json"],
            "",
            "invalid reference '/loans/loan-02.json'",
        ),
        (
            "[COUNT:2]",
            OK,
            OVERDUE_LOANS,
            "harness.write('/loans/x', '')",
            "expected no file changes",
        ),
        (
            "[COUNT:2]",
            OK,
            OVERDUE_LOANS,
            "harness.delete('/loans/loan-04.json')",
            "expected no file changes",
        ),
    ],
)
def test_each_fault_costs_the_score_and_is_told(
    answer: str,
    outcome: str,
    citations: list[str],
    more_code: str,
    detail: str,
    tmp_path: Path,
) -> None:
    replies = overdue_loans_replies(answer, outcome, citations, more_code)

    trial = play_sample_task(tmp_path, "overdue-loans", replies, "--gates", "none")

    assert trial["score"] == 0.0
    assert detail in str(trial["details"])


def test_a_right_answer_scores_one(tmp_path: Path) -> None:
    replies = overdue_loans_replies("[COUNT:2]", OK, OVERDUE_LOANS, more_code="")

    trial = play_sample_task(tmp_path, "overdue-loans", replies, "--gates", "none")

    assert trial["score"] == 1.0


@pytest.mark.parametrize(
    ("benchmark", "refusal"),
    [
        ("folder", "which folder? Name it as folder:DIR"),
        ("folder:none", "none: there is no such folder"),
        (
            "folder:bad",
            "one/task.toml: expected.outcom: there is no such key; did you mean 'outcome'?",
        ),
        ("folder:harbor", "this is a task of Harbor, which runs in its container"),
        (
            "folder:tasks",
            "nothing says what is right: give [expected], a rubric, or a grade.py beside it",
        ),
    ],
)
def test_a_wrong_folder_is_a_usage_error_of_one_line(
    benchmark: str, refusal: str, tmp_path: Path
) -> None:
    (tmp_path / "bad/one").mkdir(parents=True)
    (tmp_path / "bad/one/task.toml").write_text(
        'instruction = "x"\nexpected = { outcom = "y" }\n', encoding="utf-8"
    )
    (tmp_path / "harbor/hello/environment").mkdir(parents=True)
    (tmp_path / "harbor/hello/instruction.md").write_text("Say hello.")
    (tmp_path / "harbor/hello/task.toml").write_text(
        'version = "1.0"\n[verifier]\ntimeout_sec = 60.0\n'
    )
    write_stock_task(tmp_path)

    run = run_in_process(
        "run",
        *("--benchmark", benchmark),
        *("--model", f"scripted:{REPLIES}"),
        cwd=tmp_path,
    )

    assert run.code == USAGE_ERROR
    assert refusal in run.err
    assert len(run.err.splitlines()) == 1


def test_a_folder_that_has_changed_is_refused_to_what_needs_its_world_again(
    tmp_path: Path,
) -> None:
    """A run is started anew, which needs the files, and replayed, which does not."""
    shutil.copytree(LIBRARY, tmp_path / "library")
    run = run_in_process(
        "run",
        "overdue-loans",
        *("--benchmark", "folder:library"),
        *("--model", f"scripted:{REPLIES}"),
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


def faults_of_answer(folder: Path, *, pattern: str, answer: str) -> tuple[str, ...]:
    """Return the faults of an answer to a task that expects one of this pattern."""
    shutil.copytree(LIBRARY / "desk", folder / "t/one/files")
    text = f"instruction = 'x'\n[expected]\noutcome = 'OUTCOME_OK'\npattern = '{pattern}'\n"
    (folder / "t/one/task.toml").write_text(text, encoding="utf-8")
    task = read_folder(folder / "t").tasks["one"]
    environment = environment_of(task)
    environment.answer(answer, OK, ())
    return expected_grade(task, environment).details


def test_an_answer_that_fits_the_expected_pattern_has_no_fault(tmp_path: Path) -> None:
    faults = faults_of_answer(tmp_path, pattern=r"\d+ loans", answer=" 2 loans\n")

    assert faults == ()


@pytest.mark.parametrize(
    ("pattern", "answer"),
    [
        (r"\d+ loans", "2 loans!"),
        # a pattern that takes ages in an engine that backtracks
        ("(a+)+b", "a" * 60),
    ],
)
def test_an_answer_that_does_not_fit_the_expected_pattern_is_a_fault(
    pattern: str, answer: str, tmp_path: Path
) -> None:
    faults = faults_of_answer(tmp_path, pattern=pattern, answer=answer)

    assert faults[0].startswith("answer should fit the pattern")


@pytest.mark.parametrize(
    ("right_answer", "answer", "missing_values"),
    [
        (
            "EUR 1,250.00 by 3 May 2026, says Ada Lovelace.",
            "Ada Lovelace wants 1250 EUR until 2026-05-03",
            [],
        ),
        ("EUR 1,250.00 by 3 May 2026.", "EUR 1,520.00 by 3 May 2026", ["1,250.00"]),
        ("loan-02 is kept 14 days.", "two weeks: 14 days", []),
        ("Helvetia.", "The insurer is HELVETIA", []),
        ("Helvetia.", "The insurer is Allianz", ["helvetia"]),
        ("No.", "Yes, of course", ["no"]),
        (
            "The tenant has to have the heating serviced every year.",
            "A yearly service, by the tenant",
            [],
        ),
    ],
)
def test_an_answer_is_compared_by_the_values_of_the_right_one(
    right_answer: str, answer: str, missing_values: list[str]
) -> None:
    question = "What about loan-02, and who is the insurer?"

    assert values_lacking(answer, right_answer, question) == missing_values


STOCK_TASK = 'instruction = "Write the stock of A-7 into /stock.txt."\n'

STOCK_REPLY = """
[[reply]]
code = '''
harness.write("/stock.txt", "12 pieces")
scratchpad["answer"], scratchpad["outcome"] = "Written: 12 pieces.", "OUTCOME_OK"
scratchpad["changes"] = ["/stock.txt"]
harness.answer(scratchpad, lambda sp: "12" in sp["answer"])
'''
"""


def write_stock_task(folder: Path, text: str = STOCK_TASK, grader: str = "") -> None:
    """Write the task `stock` into the folder `tasks`, perhaps with a `grade.py`."""
    (folder / "tasks/stock/files").mkdir(parents=True)
    (folder / "tasks/stock/files/a.txt").write_text("A-7: 12")
    (folder / "tasks/stock/task.toml").write_text(text)
    if grader:
        (folder / "tasks/stock/grade.py").write_text(grader)


def run_stock_task(folder: Path, *, verdicts: tuple[str, ...] = ()) -> CommandResult:
    """Run the task `stock` with the scripted reply.

    `verdicts` are the replies of the model that grades by the rubric.
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


@pytest.mark.parametrize(
    ("body", "score", "details"),
    [
        ("return '12' in answer and outcome == 'OUTCOME_OK'", 1.0, []),
        (
            "return 0.5, [changes['/stock.txt'], str(citations)]",
            0.5,
            ["12 pieces", "[]"],
        ),
        ("return answer == '13'", 0.0, []),
    ],
)
def test_a_grader_gets_answer_outcome_citations_and_changes(
    body: str, score: float, details: list[str], tmp_path: Path
) -> None:
    write_stock_task(
        tmp_path,
        grader=f"def grade(answer, outcome, citations, changes):\n    {body}\n",
    )
    run = run_stock_task(tmp_path)
    (trial,) = run.json["trials"]

    assert trial["score"] == score, run.err
    assert trial["details"] == details


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (
            "def grade(answer, outcome, citations, changes):\n    return open('/etc/passwd').read()\n",
            "grade.py: ",
        ),
        (
            "def grade(answer, outcome, citations, changes):\n    return 'good'\n",
            "return a score",
        ),
        ("def grade(:\n", "grade.py: "),
    ],
)
def test_a_grader_that_fails_leaves_its_trial_open(
    code: str, reason: str, tmp_path: Path
) -> None:
    write_stock_task(tmp_path, grader=code)
    run = run_stock_task(tmp_path)
    (trial,) = run.json["trials"]

    assert run.code == UNGRADED_TRIALS
    assert trial["score"] is None
    assert trial["state"] == "open"
    assert reason in trial["reason"]


def test_a_corrected_grader_grades_by_resume(tmp_path: Path) -> None:
    write_stock_task(tmp_path, grader="def grade(answer):\n    return 1\n")
    assert run_stock_task(tmp_path).code == UNGRADED_TRIALS

    (tmp_path / "tasks/stock/grade.py").write_text(
        "def grade(answer, outcome, citations, changes):\n    return answer.startswith('Written')\n"
    )
    resumed = run_controlplane("resume", "last", "--json", cwd=tmp_path)

    assert resumed.code == SUCCESS, resumed.err
    assert resumed.json["score"] == 1.0


def verdict(score: float, *quotes: str) -> str:
    """Return a verdict by the rubric, with a fault for each quotation of the answer or rubric."""
    return json.dumps(
        {
            "faults": [{"quote": quote, "fault": "it is wrong"} for quote in quotes],
            "score": score,
        }
    )


RUBRIC = STOCK_TASK + 'rubric = "The answer names the article A-7."\n'


@pytest.mark.parametrize(
    ("replies", "score", "details"),
    [
        ((verdict(1),), 1.0, []),
        (
            (verdict(0.5, "written:  12 PIECES"),),
            0.5,
            ["it is wrong: 'written:  12 PIECES'"],
        ),
        (
            (verdict(0, "names the article A-7"),),
            0.0,
            ["it is wrong: 'names the article A-7'"],
        ),
        (
            (verdict(0, "13 pieces"), verdict(0, "12 pieces")),
            0.0,
            ["it is wrong: '12 pieces'"],
        ),
        ((verdict(0.2), "```json\n" + verdict(1) + "\n```"), 1.0, []),
        (
            (verdict(5, "12 pieces"), verdict(0.5, "12 pieces")),
            0.5,
            ["it is wrong: '12 pieces'"],
        ),
        ((verdict(1, "12 pieces"), verdict(math.nan)[:-1] + "}"), None, []),
    ],
)
def test_a_rubric_counts_with_faults_that_quote_what_is_there(
    replies: tuple[str, ...], score: float | None, details: list[str], tmp_path: Path
) -> None:
    write_stock_task(tmp_path, RUBRIC)
    run = run_stock_task(tmp_path, verdicts=replies)
    (trial,) = run.json["trials"]

    assert trial["score"] == score, run.err
    assert trial["details"] == details
    assert run.json["roles"]["grade"]["replies"] == len(replies)


def test_a_verdict_without_quotations_never_counts_and_another_is_asked_for_by_resume(
    tmp_path: Path,
) -> None:
    write_stock_task(tmp_path, RUBRIC)
    run = run_stock_task(
        tmp_path, verdicts=(verdict(0, "13 pieces"), verdict(0, "14 pieces"))
    )
    (trial,) = run.json["trials"]

    assert trial["score"] is None
    assert (
        "'14 pieces' stands neither in the answer nor in the rubric" in trial["reason"]
    )
    replies = (tmp_path / "replies.toml").read_text()
    (tmp_path / "replies.toml").write_text(replies.replace("13 pieces", "12 pieces"))
    resumed = run_controlplane("resume", "last", "--json", cwd=tmp_path)

    assert resumed.code == SUCCESS, resumed.err
    assert resumed.json["score"] == 0.0
