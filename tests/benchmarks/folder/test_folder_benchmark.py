"""Tasks in a folder, from the command line to the grade; the three samples among them."""

import json
import shutil
from pathlib import Path

import pytest

from benchmarks.folder.folder_benchmark import FolderEnvironment, expected_grade, values_lacking
from benchmarks.folder.task_file import read_folder
from tests.support.command import ROOT, inside

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
def verify(sp):
    return sp["answer"] == {answer!r} and bool(sp["refs_why"])
harness.answer(scratchpad, verify)
'''
"""
OVERDUE = ["/loans/loan-01.json", "/loans/loan-03.json"]
OK = "OUTCOME_OK"


def played(tmp_path: Path, task: str, replies: str, *flags: str) -> dict[str, object]:
    script = tmp_path / "replies.toml"
    script.write_text(replies, encoding="utf-8")
    ran = inside(
        "run", task, "--benchmark", f"folder:{LIBRARY}", "--model", f"scripted:{script}", *flags, "--json", cwd=tmp_path
    )
    assert ran.json["trials"], ran.err
    found: dict[str, object] = ran.json["trials"][0]
    return found


def test_the_samples_are_played_verified_and_graded_anew(tmp_path: Path) -> None:
    flags = ("--benchmark", f"folder:{LIBRARY}", "--model", f"scripted:{REPLIES}", "--repeats", "2")
    ran = inside("run", *flags, "--json", cwd=tmp_path)
    assert (ran.code, ran.json["score"], len(ran.json["trials"])) == (0, 1.0, 6), ran.err
    assert inside("replay", "last", "--verify", cwd=tmp_path).code == 0
    assert "6 trials graded again, 0 changed" in inside("judge", "last", "--grader", cwd=tmp_path).out


@pytest.mark.parametrize(("more", "score"), [("", 1.0), ("tolerated = []\n", 0.0), ('free = ["/l"]\n', 1.0)])
def test_citations_are_graded_if_the_task_names_any(more: str, score: float, tmp_path: Path) -> None:
    (tmp_path / "tasks/one/files").mkdir(parents=True)
    (tmp_path / "tasks/one/files/loans.md").write_text("loan-02: kept until 2027-04-16\n")
    task = f'instruction = "Until when?"\n[expected]\noutcome = "{OK}"\ncontains = ["2027-04-16"]\n{more}'
    (tmp_path / "tasks/one/task.toml").write_text(task)
    (tmp_path / "replies.toml").write_text(
        "[[reply]]\ncode = '''\n"
        "harness.read('/loans.md')\nscratchpad.cite('/loans.md', 'the line on loan-02')\n"
        f"scratchpad['answer'], scratchpad['outcome'] = '2027-04-16', '{OK}'\n"
        "harness.answer(scratchpad, lambda sp: True)\n'''\n"
    )
    flags = ("--benchmark", "folder:tasks", "--model", "scripted:replies.toml", "--gates", "none")
    assert inside("run", *flags, "--json", cwd=tmp_path).json["score"] == score


@pytest.mark.parametrize(
    ("answer", "outcome", "refs", "more", "told"),
    [
        ("[COUNT:2]", OK, OVERDUE, "", ""),
        ("[COUNT:3]", OK, OVERDUE, "", 'Answer should be "[COUNT:2]"'),
        ("[COUNT:2]", "OUTCOME_NONE_UNSUPPORTED", OVERDUE, "", "expected outcome OUTCOME_OK"),
        ("[COUNT:2]", OK, OVERDUE[:1], "", "answer missing required reference '/loans/loan-03.json'"),
        (
            "[COUNT:2]",
            OK,
            [*OVERDUE, "/loans/loan-02.json"],
            "",
            "invalid reference '/loans/loan-02.json'",
        ),
        ("[COUNT:2]", OK, OVERDUE, "harness.write('/loans/x', '')", "expected no file changes"),
        ("[COUNT:2]", OK, OVERDUE, "harness.delete('/loans/loan-04.json')", "expected no file changes"),
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
        ("folder:bad", "one/task.toml: expected.outcom: there is no such key; did you mean 'outcome'?"),
    ],
)
def test_a_wrong_folder_is_a_usage_error_of_one_line(spec: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "bad/one").mkdir(parents=True)
    (tmp_path / "bad/one/task.toml").write_text('instruction = "x"\nexpected = { outcom = "y" }\n', encoding="utf-8")
    ran = inside("run", "--benchmark", spec, "--model", f"scripted:{REPLIES}", cwd=tmp_path)
    assert ran.code == 2
    assert told in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_folder_that_has_changed_is_refused_to_what_needs_its_world_again(tmp_path: Path) -> None:
    shutil.copytree(LIBRARY, tmp_path / "library")
    flags = ("--benchmark", "folder:library", "--model", f"scripted:{REPLIES}", "--json")
    ran = inside("run", "overdue-loans", *flags, cwd=tmp_path)
    assert json.loads(ran.out)["score"] == 1.0
    (tmp_path / "library/desk/docs/privacy.md").write_text("other\n", encoding="utf-8")
    again = inside("rerun", "last", cwd=tmp_path)
    assert again.code == 2
    assert "world" in again.err
    assert inside("replay", "last", "--verify", cwd=tmp_path).code == 0


def environment(tmp_path: Path, pattern: str) -> FolderEnvironment:
    shutil.copytree(LIBRARY / "desk", tmp_path / "t/one/files")
    text = f"instruction = 'x'\n[expected]\noutcome = 'OUTCOME_OK'\npattern = '{pattern}'\n"
    (tmp_path / "t/one/task.toml").write_text(text, encoding="utf-8")
    return FolderEnvironment(read_folder(tmp_path / "t")[0]["one"])


@pytest.mark.parametrize(
    ("pattern", "answer", "fits"),
    [(r"\d+ loans", " 2 loans\n", True), (r"\d+ loans", "2 loans!", False), ("(a+)+b", "a" * 60, False)],
)
def test_an_answer_is_matched_with_the_expected_pattern(pattern: str, answer: str, fits: bool, tmp_path: Path) -> None:
    here = environment(tmp_path, pattern)
    here.answer(answer, OK, ())
    faults = expected_grade(read_folder(tmp_path / "t")[0]["one"], here).details
    assert faults == () if fits else faults[0].startswith("answer should fit the pattern")


@pytest.mark.parametrize(
    ("right", "answer", "lacking"),
    [
        ("EUR 1,250.00 by 3 May 2026, says Ada Lovelace.", "Ada Lovelace wants 1250 EUR until 2026-05-03", []),
        ("EUR 1,250.00 by 3 May 2026.", "EUR 1,520.00 by 3 May 2026", ["1,250.00"]),
        ("loan-02 is kept 14 days.", "two weeks: 14 days", []),
        ("Helvetia.", "The insurer is HELVETIA", []),
        ("Helvetia.", "The insurer is Allianz", ["helvetia"]),
        ("No.", "Yes, of course", ["no"]),
        ("The tenant has to have the heating serviced every year.", "A yearly service, by the tenant", []),
    ],
)
def test_an_answer_is_compared_by_the_values_of_the_right_one(right: str, answer: str, lacking: list[str]) -> None:
    assert values_lacking(answer, right, "What about loan-02, and who is the insurer?") == lacking
