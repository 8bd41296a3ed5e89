"""Tasks in a folder, from the command line to the grade:
by what is expected, by a grade.py, by a rubric."""

import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest

from controlplane.benchmarks.folder.expected_grader import (
    expected_grade,
    values_lacking,
)
from controlplane.benchmarks.folder.task_folder import read_folder
from controlplane.benchmarks.folder.trial_environment import environment_of
from controlplane.local_benchmark.local_environment import LocalEnvironment
from tests.support.command import ROOT, controlplane, inside

pytestmark = pytest.mark.usefixtures("shared_fork_servers")

LIBRARY = ROOT / "docs/examples/library"
REPLIES = ROOT / "docs/examples/library.toml"
ANSWER = """
[[reply]]
code = '''
for path in ["/loans/loan-01.json", "/loans/loan-03.json", "/loans/loan-02.json"]:
    loan = harness.read(path).json()
    if path in {refs!r}:
        scratchpad.cite(path, loan["id"] + " was due on " + loan["due"])
{more}
scratchpad["answer"] = {answer!r}
scratchpad["outcome"] = {outcome!r}
harness.answer(scratchpad, lambda sp: sp["answer"] == {answer!r} and bool(sp["refs_why"]))
'''
"""
OVERDUE = ["/loans/loan-01.json", "/loans/loan-03.json"]
OK = "OUTCOME_OK"


def played(tmp_path: Path, task: str, replies: str, *flags: str) -> dict[str, object]:
    script = tmp_path / "replies.toml"
    script.write_text(replies, encoding="utf-8")
    ran = inside(
        "run",
        task,
        "--benchmark",
        f"folder:{LIBRARY}",
        "--model",
        f"scripted:{script}",
        *flags,
        "--json",
        cwd=tmp_path,
    )
    assert ran.json["trials"], ran.err
    found: dict[str, object] = ran.json["trials"][0]
    return found


def test_the_samples_are_played_verified_and_graded_anew(tmp_path: Path) -> None:
    flags = (
        "--benchmark",
        f"folder:{LIBRARY}",
        "--model",
        f"scripted:{REPLIES}",
        "--repeats",
        "2",
    )
    ran = inside("run", *flags, "--json", cwd=tmp_path)

    assert (ran.code, ran.json["score"], len(ran.json["trials"])) == (0, 1.0, 6), (
        ran.err
    )
    assert inside("replay", "last", "--verify", cwd=tmp_path).code == 0
    assert (
        "6 trials graded again, 0 changed"
        in inside("judge", "last", "--grader", cwd=tmp_path).out
    )


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

    assert inside("run", *flags, "--json", cwd=tmp_path).json["score"] == score


@pytest.mark.parametrize(
    ("answer", "outcome", "refs", "more", "told"),
    [
        ("[COUNT:2]", OK, OVERDUE, "", ""),
        ("[COUNT:3]", OK, OVERDUE, "", 'Answer should be "[COUNT:2]"'),
        (
            "[COUNT:2]",
            "OUTCOME_NONE_UNSUPPORTED",
            OVERDUE,
            "",
            "expected outcome OUTCOME_OK",
        ),
        (
            "[COUNT:2]",
            OK,
            OVERDUE[:1],
            "",
            "answer missing required reference '/loans/loan-03.json'",
        ),
        (
            "[COUNT:2]",
            OK,
            [*OVERDUE, "/loans/loan-02.json"],
            "",
            "invalid reference '/loans/loan-02.json'",
        ),
        (
            "[COUNT:2]",
            OK,
            OVERDUE,
            "harness.write('/loans/x', '')",
            "expected no file changes",
        ),
        (
            "[COUNT:2]",
            OK,
            OVERDUE,
            "harness.delete('/loans/loan-04.json')",
            "expected no file changes",
        ),
    ],
)
def test_each_fault_costs_the_score_and_is_told(
    answer: str, outcome: str, refs: list[str], more: str, told: str, tmp_path: Path
) -> None:
    replies = ANSWER.format(answer=answer, outcome=outcome, refs=refs, more=more)
    trial = played(tmp_path, "overdue-loans", replies, "--gates", "none")

    assert trial["score"] == float(not told)
    assert told in str(trial["details"])


@pytest.mark.parametrize(
    ("spec", "told"),
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
    spec: str, told: str, tmp_path: Path
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
    task(tmp_path)
    ran = inside(
        "run", "--benchmark", spec, "--model", f"scripted:{REPLIES}", cwd=tmp_path
    )

    assert ran.code == 2
    assert told in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_folder_that_has_changed_is_refused_to_what_needs_its_world_again(
    tmp_path: Path,
) -> None:
    shutil.copytree(LIBRARY, tmp_path / "library")
    flags = (
        "--benchmark",
        "folder:library",
        "--model",
        f"scripted:{REPLIES}",
        "--json",
    )
    ran = inside("run", "overdue-loans", *flags, cwd=tmp_path)

    assert json.loads(ran.out)["score"] == 1.0
    (tmp_path / "library/desk/docs/privacy.md").write_text("other\n", encoding="utf-8")
    again = inside("rerun", "last", cwd=tmp_path)
    assert again.code == 2
    assert "world" in again.err
    assert inside("replay", "last", "--verify", cwd=tmp_path).code == 0


def environment(tmp_path: Path, pattern: str) -> LocalEnvironment:
    shutil.copytree(LIBRARY / "desk", tmp_path / "t/one/files")
    text = f"instruction = 'x'\n[expected]\noutcome = 'OUTCOME_OK'\npattern = '{pattern}'\n"
    (tmp_path / "t/one/task.toml").write_text(text, encoding="utf-8")
    return environment_of(read_folder(tmp_path / "t").tasks["one"])


@pytest.mark.parametrize(
    ("pattern", "answer", "fits"),
    [
        (r"\d+ loans", " 2 loans\n", True),
        (r"\d+ loans", "2 loans!", False),
        ("(a+)+b", "a" * 60, False),
    ],
)
def test_an_answer_is_matched_with_the_expected_pattern(
    pattern: str, answer: str, fits: bool, tmp_path: Path
) -> None:
    here = environment(tmp_path, pattern)
    here.answer(answer, OK, ())
    faults = expected_grade(read_folder(tmp_path / "t").tasks["one"], here).details

    assert (
        faults == () if fits else faults[0].startswith("answer should fit the pattern")
    )


@pytest.mark.parametrize(
    ("right", "answer", "lacking"),
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
    right: str, answer: str, lacking: list[str]
) -> None:
    assert (
        values_lacking(answer, right, "What about loan-02, and who is the insurer?")
        == lacking
    )


TASK = 'instruction = "Write the stock of A-7 into /stock.txt."\n'
REPLY = """
[[reply]]
code = '''
harness.write("/stock.txt", "12 pieces")
scratchpad["answer"], scratchpad["outcome"] = "Written: 12 pieces.", "OUTCOME_OK"
scratchpad["changes"] = ["/stock.txt"]
harness.answer(scratchpad, lambda sp: "12" in sp["answer"])
'''
"""


def played_graded(folder: Path, *words: str, graded: tuple[str, ...] = ()) -> Any:
    """Return the result of the task in the folder;
    `graded` are the replies of its rubric's model."""
    replies = [
        REPLY,
        *(f"[[reply]]\nrole = 'grade'\ntext = '''{text}'''\n" for text in graded),
    ]
    (folder / "replies.toml").write_text("".join(replies))
    return controlplane(
        "run",
        "--benchmark",
        "folder:tasks",
        "--model",
        "scripted:replies.toml",
        "--json",
        cwd=folder,
    )


def task(folder: Path, text: str = TASK, grader: str = "") -> None:
    (folder / "tasks/stock/files").mkdir(parents=True)
    (folder / "tasks/stock/files/a.txt").write_text("A-7: 12")
    (folder / "tasks/stock/task.toml").write_text(text)
    if grader:
        (folder / "tasks/stock/grade.py").write_text(grader)


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
    task(
        tmp_path,
        grader=f"def grade(answer, outcome, citations, changes):\n    {body}\n",
    )
    done = played_graded(tmp_path)
    (trial,) = done.json["trials"]

    assert (trial["score"], trial["details"]) == (score, details), done.err


@pytest.mark.parametrize(
    ("code", "says"),
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
    code: str, says: str, tmp_path: Path
) -> None:
    task(tmp_path, grader=code)
    done = played_graded(tmp_path)
    (trial,) = done.json["trials"]

    assert (done.code, trial["score"], trial["state"]) == (3, None, "open")
    assert says in trial["reason"]


def test_a_corrected_grader_grades_by_resume(tmp_path: Path) -> None:
    task(tmp_path, grader="def grade(answer):\n    return 1\n")
    assert played_graded(tmp_path).code == 3
    (tmp_path / "tasks/stock/grade.py").write_text(
        "def grade(*given):\n    return given[0].startswith('Written')\n"
    )
    resumed = controlplane("resume", "last", "--json", cwd=tmp_path)
    assert (resumed.code, resumed.json["score"]) == (0, 1.0), resumed.err


def verdict(score: float, *quotes: str) -> str:
    return json.dumps(
        {
            "faults": [{"quote": quote, "fault": "it is wrong"} for quote in quotes],
            "score": score,
        }
    )


RUBRIC = TASK + 'rubric = "The answer names the article A-7."\n'


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
    task(tmp_path, RUBRIC)
    done = played_graded(tmp_path, graded=replies)
    (trial,) = done.json["trials"]

    assert (trial["score"], trial["details"]) == (score, details), done.err
    assert done.json["roles"]["grade"]["replies"] == len(replies)


def test_a_verdict_without_quotations_never_counts_and_another_is_asked_for_by_resume(
    tmp_path: Path,
) -> None:
    task(tmp_path, RUBRIC)
    done = played_graded(
        tmp_path, graded=(verdict(0, "13 pieces"), verdict(0, "14 pieces"))
    )
    (trial,) = done.json["trials"]

    assert trial["score"] is None
    assert (
        "'14 pieces' stands neither in the answer nor in the rubric" in trial["reason"]
    )
    replies = (tmp_path / "replies.toml").read_text()
    (tmp_path / "replies.toml").write_text(replies.replace("13 pieces", "12 pieces"))
    resumed = controlplane("resume", "last", "--json", cwd=tmp_path)
    assert (resumed.code, resumed.json["score"]) == (0, 0.0), resumed.err
