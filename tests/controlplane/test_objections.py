"""Objections as users meet them: stood by, counted
over interruptions and forks; and the fallback."""

import shutil
from pathlib import Path

import pytest

from controlplane.benchmarks.ecom.tasks.families import generate_task
from controlplane.benchmarks.ecom.trial_ids import TrialId
from controlplane.benchmarks.ecom.world.settings import PLAYED
from controlplane.journal.journal_reader import open_journal
from tests.benchmarks.ecom.reference_solutions import first_task
from tests.controlplane.report.test_report_file import blocks
from tests.support.command import run_in_process

PHONEBOOK = ("run", "ada", "--benchmark", "tests.support.phonebook", "--model")
LOOK_UP = """
[[reply]]
code = '''
scratchpad["n"] = harness.lookup("ada").number
'''
"""
ANSWER_WITH_OUTCOME_IN_TEXT = """
[[reply]]
code = '''
scratchpad["answer"], scratchpad["outcome"] = "OUTCOME_OK: 17", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["n"] in sp["answer"])
'''
"""
"""The number is right; a rule of gate 6 objects to the name of the outcome in it."""
ANSWER_CITING_UNREAD_FILE = """
[[reply]]
code = '''
scratchpad["answer"], scratchpad["outcome"] = "17", "OUTCOME_OK"
scratchpad["refs_why"] = {"/unread.md": "it is 17"}
harness.answer(scratchpad, lambda sp: sp["n"] in sp["answer"])
'''
"""
WORDING_RULE = "6/wording"
PRINTED_WORDING_RULE = "gate 6 (wording)"


@pytest.fixture(scope="module")
def overridden_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the run "said", whose trial gives an answer three times.

    A rule objects twice, and is overridden at the third time.
    """
    folder = tmp_path_factory.mktemp("overridden")
    replies = LOOK_UP + ANSWER_WITH_OUTCOME_IN_TEXT * 3
    (folder / "say.toml").write_text(replies, encoding="utf-8")
    run = run_in_process(*PHONEBOOK, "scripted:say.toml", "--name", "said", cwd=folder)
    assert run.code == 0, run.err
    return folder


def test_the_json_and_the_report_count_overrides_by_rule(overridden_run: Path) -> None:
    shown = run_in_process("show", "said", "--json", cwd=overridden_run).json
    reported = run_in_process("report", "said", "-o", "r.html", cwd=overridden_run)

    assert shown["overridden"] == {WORDING_RULE: 1}
    assert shown["trials"][0]["overridden"] == {WORDING_RULE: 1}
    assert shown["rejections"] == {WORDING_RULE: 2}
    assert reported.code == 0
    html = (overridden_run / "r.html").read_text(encoding="utf-8")
    assert "0 of 2" in html
    trial = blocks(html)["data-trial-1-1"]
    assert f"accepted over objections: {PRINTED_WORDING_RULE}" in str(trial)
    assert "gate 6: wording" in str(trial["pages"])


def first_line_with(part: bytes, lines: list[bytes]) -> int:
    """Return the index of the first line with this part."""
    for index, line in enumerate(lines):
        if part in line:
            return index
    raise AssertionError(f"no line with {part!r}")


def test_objections_are_counted_over_a_resumption_behind_any_line(
    overridden_run: Path, tmp_path: Path, heavy: bool
) -> None:
    """Cut the journal between the start and the answer, resume it, and count."""
    shown = run_in_process("show", "said", "--json", cwd=overridden_run).json
    whole_journal = overridden_run / shown["journal"]
    shutil.copy(overridden_run / "say.toml", tmp_path)
    lines = whole_journal.read_bytes().splitlines(keepends=True)
    started = first_line_with(b'"run_started"', lines)
    answered = first_line_with(b'"answer_sent"', lines)
    distance = 1 if heavy else 12  # every line, or every twelfth to save time

    for cut in range(started + 1, answered, distance):
        path = tmp_path / f"cut-{cut}.jsonl"
        path.write_bytes(b"".join(lines[:cut]))

        assert run_in_process("resume", path, cwd=tmp_path).code == 0, cut
        summary = open_journal(path).summary
        assert summary.rejections == {WORDING_RULE: 2}, cut
        assert summary.overridden == {WORDING_RULE: 1}, cut
        assert run_in_process("replay", path, "--verify", cwd=tmp_path).code == 0, cut


@pytest.mark.parametrize(
    ("options", "outcome", "answer", "failed_gates", "reason"),
    [
        (
            (),
            "OUTCOME_OK",
            "17",
            ["4"],
            "fallback: its last submission, sent back by gate 4 (citations were read)",
        ),
        (
            ("--fallback", "internal"),
            "OUTCOME_ERR_INTERNAL",
            "No answer",
            [],
            "fallback: ERR_INTERNAL",
        ),
    ],
)
def test_a_trial_without_an_accepted_answer_leaves_by_its_fallback_and_says_so(
    options: tuple[str, ...],
    outcome: str,
    answer: str,
    failed_gates: list[str],
    reason: str,
    tmp_path: Path,
) -> None:
    """The model looks the number up, gives an answer that is sent back, and then fails."""
    replies = LOOK_UP + ANSWER_CITING_UNREAD_FILE
    (tmp_path / "unread.toml").write_text(replies, encoding="utf-8")
    command = (*PHONEBOOK, "scripted:unread.toml", *options)
    run = run_in_process(*command, cwd=tmp_path, COLUMNS="300")

    assert run.code == 0, run.err
    assert reason in run.out
    # The model's failure follows what the gates said, if they said something.
    is_told_that_the_model_failed = "; the model failed: the" in run.out
    assert is_told_that_the_model_failed == bool(failed_gates)
    assert "1 ended by the fallback" in run.out
    (trial,) = run_in_process("show", "last", "--json", cwd=tmp_path).json["trials"]
    assert trial["state"] == "fallback"
    assert trial["outcome"] == outcome
    assert trial["fallback_failed"] == failed_gates
    assert trial["answer"].startswith(answer)
    assert trial["steps"] == 2  # as replay shows: no model replied in a third
    replayed_trial = run_in_process("replay", "last", "--trial", "ada", cwd=tmp_path)
    assert (
        "What is shown above" not in replayed_trial.out
    )  # The phone book opens nothing.
    replayed_run = run_in_process("replay", "last", cwd=tmp_path, COLUMNS="200")
    assert reason in " ".join(replayed_run.out.split())


BROKEN_RULES = """\
from controlplane.gates.rules import RuleSet, Rule


def bad(submission, evidence, case):
    return {}['none']


RULE_SET = RuleSet("mine", (Rule("bad", bad),))
"""


def test_a_fault_of_ones_own_rule_is_told_with_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "broken_rules.py").write_text(BROKEN_RULES)
    command = ("run", "calendar-date.1", "--model", "baseline")
    rules = ("--rule-sets", "broken_rules:RULE_SET")
    run = run_in_process(*command, *rules, cwd=tmp_path, COLUMNS="500")

    message = "mine/bad: the rule failed: KeyError: 'none' ("
    assert f"notice: {message}" in run.out + run.err
    # The line below that of the trial tells it, too.
    lines = run.out.splitlines()
    (trial_line_number,) = [
        number
        for number, line in enumerate(lines)
        if line.startswith("calendar-date.1") and " OK " in line
    ]
    line_below = lines[trial_line_number + 1]
    assert message in line_below
    assert "broken_rules.py, line 5)" in line_below


TASK = first_task("basket-checkout#2")
TRUTH = generate_task(TASK, TrialId(TASK, 0, 0, "prod", "").world_seed, PLAYED).truth
BASKET = TRUTH.for_tests["id"]
"""The basket that the task names; the pre-call check stops its checkout."""
OTHER_BASKET = f"{BASKET[:-1]}{(int(BASKET[-1]) + 1) % 10}"
"""An id with another last digit."""
DEFINE_BUY = """
def buy(basket):
    try:
        harness.exec("/bin/checkout", args=[basket])
    except HarnessError as error:
        print(error.code, error)
"""
ANSWER = """
scratchpad["answer"], scratchpad["outcome"] = "It cannot be bought today.", "OUTCOME_NONE_UNSUPPORTED"
harness.answer(scratchpad, lambda sp: sp["answer"].startswith("It"))
"""
ANY_SCORE = None


@pytest.mark.parametrize(
    ("calls", "what_followed", "mean_score"),
    [
        (f"buy('{BASKET}')", "not done", ANY_SCORE),
        (f"buy('{BASKET}')\nbuy('{BASKET}')", "repeated and sent", 0.0),
        (f"buy('{BASKET}')\nbuy('{OTHER_BASKET}')", "done otherwise", ANY_SCORE),
    ],
)
def test_what_became_of_a_stopped_call_is_told_with_the_score(
    calls: str, what_followed: str, mean_score: float | None, tmp_path: Path
) -> None:
    """Play a script whose first call is stopped, and the answer until it is accepted."""
    scripts = [DEFINE_BUY + calls, ANSWER, ANSWER, ANSWER]
    replies = [f"[[reply]]\ncode = '''\n{script}\n'''\n" for script in scripts]
    (tmp_path / "tries.toml").write_text("".join(replies), encoding="utf-8")
    command = ("run", TASK, "--model", "scripted:tries.toml", "--name", "tried")
    run = run_in_process(*command, cwd=tmp_path, COLUMNS="300")

    assert f"pre-call check held 1 call; {what_followed} (mean score" in run.out
    shown = run_in_process("show", "tried", "--json", cwd=tmp_path).json
    stopped_calls = shown["stopped_calls"][what_followed]
    assert stopped_calls["calls"] == 1
    if mean_score is not ANY_SCORE:
        assert stopped_calls["mean_score"] == mean_score
    assert shown["trials"][0]["stopped_calls"] == [
        {"operation": "exec", "path": "/bin/checkout", "then": what_followed}
    ]
    verified = run_in_process("replay", "tried", "--verify", cwd=tmp_path)
    assert "everything is as recorded" in verified.out
    replayed = run_in_process(
        "replay", "tried", "--trial", TASK, cwd=tmp_path, COLUMNS="300"
    )
    assert "failed_precondition" in replayed.out
