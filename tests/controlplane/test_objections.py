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
from tests.support.command import Result, inside

PHONEBOOK = ("run", "ada", "--benchmark", "tests.support.phonebook", "--model")
LOOK = (
    "[[reply]]\ncode = '''\nscratchpad[\"n\"] = harness.lookup(\"ada\").number\n'''\n"
)
SAY = """[[reply]]
code = '''
scratchpad["answer"], scratchpad["outcome"] = "OUTCOME_OK: 17", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["n"] in sp["answer"])
'''
"""
UNREAD = SAY.replace("OUTCOME_OK: 17", "17").replace(
    "harness.", 'scratchpad["refs_why"] = {"/unread.md": "it is 17"}\nharness.'
)
FORM = "6/wording"
NAMED = "gate 6 (wording)"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """A folder with the run of an answer that a rule objects
    to, said three times, and what the run printed."""
    folder = tmp_path_factory.mktemp("overridden")
    (folder / "say.toml").write_text(LOOK + SAY * 3, encoding="utf-8")
    done = inside(*PHONEBOOK, "scripted:say.toml", "--name", "said", cwd=folder)
    assert done.code == 0, done.err
    return folder, done


def test_the_json_and_the_report_count_overrides_by_rule(
    played: tuple[Path, Result],
) -> None:
    folder = played[0]
    told = inside("show", "said", "--json", cwd=folder).json

    assert told["overridden"] == told["trials"][0]["overridden"] == {FORM: 1}
    assert told["rejections"] == {FORM: 2}
    assert inside("report", "said", "-o", "r.html", cwd=folder).code == 0
    html = (folder / "r.html").read_text(encoding="utf-8")
    assert "0 of 2" in html
    trial = blocks(html)["data-trial-1-1"]
    assert f"accepted over objections: {NAMED}" in str(trial)
    assert "gate 6: wording" in str(trial["pages"])


def test_objections_are_counted_over_a_resumption_behind_any_line(
    played: tuple[Path, Result], tmp_path: Path, heavy: bool
) -> None:
    whole = played[0] / inside("show", "said", "--json", cwd=played[0]).json["journal"]
    shutil.copy(played[0] / "say.toml", tmp_path)
    lines = whole.read_bytes().splitlines(keepends=True)
    began, answered = (
        next(at for at, line in enumerate(lines) if kind in line)
        for kind in (b'"run_started"', b'"answer_sent"')
    )
    for cut in range(began + 1, answered, 1 if heavy else 12):
        path = tmp_path / f"cut-{cut}.jsonl"
        path.write_bytes(b"".join(lines[:cut]))
        assert inside("resume", path, cwd=tmp_path).code == 0, cut
        summary = open_journal(path).summary
        assert (summary.rejections, summary.overridden) == ({FORM: 2}, {FORM: 1}), cut
        assert inside("replay", path, "--verify", cwd=tmp_path).code == 0, cut


@pytest.mark.parametrize(
    ("options", "outcome", "answer", "failed", "why"),
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
    failed: list[str],
    why: str,
    tmp_path: Path,
) -> None:
    (tmp_path / "unread.toml").write_text(LOOK + UNREAD, encoding="utf-8")
    done = inside(
        *PHONEBOOK, "scripted:unread.toml", *options, cwd=tmp_path, COLUMNS="300"
    )

    assert done.code == 0, done.err
    assert why in done.out
    # behind what the gates said
    assert ("; the model failed: the" in done.out) == bool(failed)
    assert "1 ended by the fallback" in done.out
    (trial,) = inside("show", "last", "--json", cwd=tmp_path).json["trials"]
    assert (trial["state"], trial["outcome"], trial["fallback_failed"]) == (
        "fallback",
        outcome,
        failed,
    )
    assert trial["answer"].startswith(answer)
    assert trial["steps"] == 2  # as replay shows: no model replied in a third
    asked = inside("replay", "last", "--trial", "ada", cwd=tmp_path).out
    assert "What is shown above" not in asked  # The phone book opens nothing.
    assert why in " ".join(
        inside("replay", "last", cwd=tmp_path, COLUMNS="200").out.split()
    )


def test_a_fault_of_ones_own_rule_is_told_with_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "broken_rules.py").write_text(
        "from controlplane.gates.rules import RuleSet, Rule\n\n\ndef bad(submission, evidence, case):\n    return {}['none']\n\n\n"
        'RULE_SET = RuleSet("mine", (Rule("bad", bad),))\n'
    )
    words = (
        "run",
        "calendar-date.1",
        "--model",
        "baseline",
        "--rule-sets",
        "broken_rules:RULE_SET",
    )
    ended = inside(*words, cwd=tmp_path, COLUMNS="500")
    told = "mine/bad: the rule failed: KeyError: 'none' ("

    assert f"notice: {told}" in ended.out + ended.err
    lines = ended.out.splitlines()
    (at,) = (
        at
        for at, line in enumerate(lines)
        if line.startswith("calendar-date.1") and " OK " in line
    )
    assert told in lines[at + 1]
    assert "broken_rules.py, line 5)" in lines[at + 1]


TASK = first_task("basket-checkout#2")
TRUTH = generate_task(TASK, TrialId(TASK, 0, 0, "prod", "").world_seed, PLAYED).truth
BASKET = TRUTH.for_tests["id"]
OTHER = f"{BASKET[:-1]}{(int(BASKET[-1]) + 1) % 10}"
TRIES = """
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


@pytest.mark.parametrize(
    ("code", "then", "score"),
    [
        (f"buy('{BASKET}')", "not done", None),
        (f"buy('{BASKET}')\nbuy('{BASKET}')", "repeated and sent", 0.0),
        (f"buy('{BASKET}')\nbuy('{OTHER}')", "done otherwise", None),
    ],
)
def test_what_became_of_a_stopped_call_is_told_with_the_score(
    code: str, then: str, score: float | None, tmp_path: Path
) -> None:
    scripts = [f"{TRIES}{code}", *[ANSWER] * 3]
    replies = "".join(f"[[reply]]\ncode = '''\n{script}\n'''\n" for script in scripts)
    (tmp_path / "tries.toml").write_text(replies, encoding="utf-8")
    run = ("run", TASK, "--model", "scripted:tries.toml", "--name", "tried")
    done = inside(*run, cwd=tmp_path, COLUMNS="300")

    assert f"pre-call check held 1 call; {then} (mean score" in done.out
    told = inside("show", "tried", "--json", cwd=tmp_path).json
    assert told["stopped_calls"][then]["calls"] == 1
    assert score in (None, told["stopped_calls"][then]["mean_score"])
    assert told["trials"][0]["stopped_calls"] == [
        {"operation": "exec", "path": "/bin/checkout", "then": then}
    ]
    assert (
        "everything is as recorded"
        in inside("replay", "tried", "--verify", cwd=tmp_path).out
    )
    walk = inside("replay", "tried", "--trial", TASK, cwd=tmp_path, COLUMNS="300").out
    assert "failed_precondition" in walk
