"""Objections as a user meets them: answers that checks send back, fallbacks, and stopped calls.

The harness checks each answer of a model, for example whether it has read what it cites, and sends
a wrong one back. A model that repeats its answer overrides some checks. If no answer is accepted,
the trial ends with a fallback, an answer of the harness. A check may also stop a call. `show`,
`replay` and reports have to tell and count all of these.
"""

import itertools
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.trial_ids import TrialId
from controlplane.benchmarks.ecom.world.settings import PLAYED
from controlplane.journal.journal_reader import open_journal
from tests.benchmarks.ecom.reference_solutions import first_task
from tests.controlplane.report.viewed import packed_data
from tests.support.command import CommandResult, run_in_process
from tests.support.scored_journal import first_line_with

OK = 0

# --- A model that asks a phone book for ada's number, 17, and answers badly ---

RUN_ADA = ("run", "ada", "--benchmark", "tests.support.phonebook", "--model")
"""The words of a run of the task ada; the name of the model follows."""

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
"""The number is right, but the answer has the name of its outcome in it. The rule "wording" of gate
6 (a gate is a group of checks) objects twice; the third time, the model gets its way."""

ANSWER_CITING_UNREAD_FILE = """
[[reply]]
code = '''
scratchpad["answer"], scratchpad["outcome"] = "17", "OUTCOME_OK"
scratchpad["refs_why"] = {"/unread.md": "it is 17"}
harness.answer(scratchpad, lambda sp: sp["n"] in sp["answer"])
'''
"""
"""Gate 4 objects each time: the model cites a file that it has not read."""

WORDING_RULE = "6/wording"
"""The name of the rule in counts."""


@pytest.fixture(scope="module")
def overridden_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the run "said". Its model gives the same answer three times: the answer is sent
    back twice, and accepted in spite of the objection the third time."""
    folder = tmp_path_factory.mktemp("overridden")
    replies = LOOK_UP + ANSWER_WITH_OUTCOME_IN_TEXT * 3
    (folder / "say.toml").write_text(replies, encoding="utf-8")
    run = run_in_process(*RUN_ADA, "scripted:say.toml", "--name", "said", cwd=folder)
    assert run.code == OK, run.err
    return folder


def test_show_counts_rejections_and_overrides_by_rule(overridden_run: Path) -> None:
    """The answer was sent back twice by the rule "wording", and accepted over its objection."""
    shown = run_in_process("show", "said", "--json", cwd=overridden_run).json

    assert shown["rejections"] == {WORDING_RULE: 2}
    assert shown["overridden"] == {WORDING_RULE: 1}
    (trial,) = shown["trials"]
    assert trial["overridden"] == {WORDING_RULE: 1}


def test_a_report_names_the_rules_that_were_overridden(overridden_run: Path) -> None:
    """They are named in the data of the trial, which the page unpacks: in the line about its end,
    and in the pages of its steps. The page of the run counts them."""
    report = run_in_process("report", "said", "-o", "r.html", cwd=overridden_run)

    assert report.code == OK
    page = (overridden_run / "r.html").read_text(encoding="utf-8")
    trial = packed_data(page)["data-trial-1-1"]
    pages_of_steps = str(trial["pages"])
    assert "accepted over objections: gate 6 (wording)" in str(trial)
    assert "gate 6: wording" in pages_of_steps
    # Two answers were sent back, and the model corrected none of them.
    assert "0 of 2" in page


def test_a_resumed_run_counts_objections_from_before_the_interruption(
    overridden_run: Path, tmp_path: Path, heavy: bool
) -> None:
    """The journal is cut off between the run's start and its accepted answer, as if the run were
    killed there, and resumed: behind every twelfth line, and in the heavy form behind every line."""
    shown = run_in_process("show", "said", "--json", cwd=overridden_run).json
    complete_journal = overridden_run / shown["journal"]
    shutil.copy(overridden_run / "say.toml", tmp_path)  # the replies of the model
    lines = complete_journal.read_bytes().splitlines(keepends=True)
    start = first_line_with(b'"run_started"', lines)
    answer = first_line_with(b'"answer_sent"', lines)
    lines_between_cuts = 1 if heavy else 12

    for kept_lines in range(start + 1, answer, lines_between_cuts):
        journal = tmp_path / f"cut-{kept_lines}.jsonl"
        journal.write_bytes(b"".join(lines[:kept_lines]))

        resumed = run_in_process("resume", journal, cwd=tmp_path)
        assert resumed.code == OK, kept_lines
        summary = open_journal(journal).summary
        assert summary.rejections == {WORDING_RULE: 2}, kept_lines
        assert summary.overridden == {WORDING_RULE: 1}, kept_lines
        verified = run_in_process("replay", journal, "--verify", cwd=tmp_path)
        assert verified.code == OK, kept_lines


# --- Fallbacks ---


def run_without_accepted_answer(folder: Path, *options: str) -> CommandResult:
    """Run a model of two replies, and return the result. The first one looks the number up, and the
    second one answers 17, to which gate 4 objects. For a third step there is no reply.

    Asserts that the trial ended with a fallback.
    """
    replies = LOOK_UP + ANSWER_CITING_UNREAD_FILE
    (folder / "unread.toml").write_text(replies, encoding="utf-8")
    run = run_in_process(
        *RUN_ADA, "scripted:unread.toml", *options, cwd=folder, COLUMNS="300"
    )
    assert run.code == OK, run.err
    assert "1 ended by the fallback" in run.out
    return run


def only_trial(folder: Path) -> dict[str, Any]:
    """Return what `show` tells about the one trial of the last run: `{"state": "fallback", ...}`."""
    shown = run_in_process("show", "last", "--json", cwd=folder).json
    (trial,) = shown["trials"]
    assert isinstance(trial, dict)
    return trial


def replayed_text(folder: Path) -> str:
    """Return what `replay` prints about the last run, in one line."""
    replay = run_in_process("replay", "last", cwd=folder, COLUMNS="200")
    return " ".join(replay.out.split())


def test_the_fallback_is_the_last_answer_that_was_sent_back(tmp_path: Path) -> None:
    """Gate 4 objected, as the answer cites a file that was not read. It is better than nothing."""
    run = run_without_accepted_answer(tmp_path)

    reason = "fallback: its last submission, sent back by gate 4 (citations were read)"
    assert reason in run.out
    assert reason in replayed_text(tmp_path)
    reason_for_no_other_answer = "; the model failed: the"
    assert reason_for_no_other_answer in run.out

    trial = only_trial(tmp_path)
    assert trial["state"] == "fallback"
    assert trial["answer"].startswith("17")
    assert trial["outcome"] == "OUTCOME_OK"
    assert trial["fallback_failed"] == ["4"]
    assert trial["steps"] == 2


def test_the_option_fallback_submits_an_internal_error_instead(tmp_path: Path) -> None:
    """With `--fallback internal`, the last answer of the model is not used. The reason that is
    shown names neither the gate nor the model's failure."""
    run = run_without_accepted_answer(tmp_path, "--fallback", "internal")

    reason = "fallback: ERR_INTERNAL"
    assert reason in run.out
    assert reason in replayed_text(tmp_path)
    assert "; the model failed: the" not in run.out

    trial = only_trial(tmp_path)
    assert trial["state"] == "fallback"
    assert trial["answer"].startswith("No answer")
    assert trial["outcome"] == "OUTCOME_ERR_INTERNAL"
    assert trial["fallback_failed"] == []
    assert trial["steps"] == 2


@pytest.mark.parametrize(
    "options",
    [
        pytest.param((), id="last answer"),
        pytest.param(("--fallback", "internal"), id="internal error"),
    ],
)
def test_a_replay_does_not_mention_an_opening_that_a_benchmark_does_not_have(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    """Some benchmarks open a trial with calls of their own, which a replay shows at the top. The
    phone book does not, so that the note "What is shown above" would be wrong."""
    run_without_accepted_answer(tmp_path, *options)

    replay = run_in_process("replay", "last", "--trial", "ada", cwd=tmp_path)

    assert "What is shown above" not in replay.out


# --- A rule of the user that fails ---

BROKEN_RULES = """\
from controlplane.gates.rules import RuleSet, Rule


def bad(submission, evidence, case):
    return {}['none']


RULE_SET = RuleSet("mine", (Rule("bad", bad),))
"""
"""A module of the user, whose rule fails in line 5."""


def lines_below(pattern: str, text: str) -> list[str]:
    """Return the lines that follow a line which begins with this pattern."""
    lines = text.splitlines()
    following_lines: list[str] = []
    for line, next_line in itertools.pairwise(lines):
        if re.match(pattern, line):
            following_lines.append(next_line)
    return following_lines


def test_an_error_in_a_users_rule_is_shown_with_its_file_and_line(
    tmp_path: Path,
) -> None:
    """It is shown twice: as a notice, and below the trial's line, which says that the answer is OK.

    "baseline" is a program of the benchmark that plays in place of a model.
    """
    (tmp_path / "broken_rules.py").write_text(BROKEN_RULES)

    run = run_in_process(
        "run",
        "calendar-date.1",
        "--model",
        "baseline",
        "--rule-sets",
        "broken_rules:RULE_SET",
        cwd=tmp_path,
        COLUMNS="500",
    )

    message = "mine/bad: the rule failed: KeyError: 'none' ("
    assert f"notice: {message}" in run.out + run.err
    (line_below,) = lines_below(r"calendar-date\.1.* OK ", run.out)
    assert message in line_below
    assert "broken_rules.py, line 5)" in line_below


# --- Calls that a check stops ---
#
# A task of the shop asks to buy a basket, which is not allowed. The model tries, and a check before
# the call stops it. A run tells what the model did then: nothing, the same call again, or another.

CHECKOUT_TASK = first_task("basket-checkout: one line is short")
"""The id of the task."""


def basket_of_checkout_task() -> str:
    """Return the basket that the task names in a run without options, such as `basket-0123`.

    It is generated from a seed, which follows from the id of the run's only trial.
    """
    trial = TrialId(CHECKOUT_TASK, repeat=0, seed=0, profile="prod", token="")
    task = generate_task(CHECKOUT_TASK, trial.world_seed, PLAYED)
    return str(task.truth.for_tests["id"])


BASKET = basket_of_checkout_task()
OTHER_BASKET = f"{BASKET[:-1]}{(int(BASKET[-1]) + 1) % 10}"
"""An id with another last digit."""

DEFINE_BUY = """
def buy(basket):
    try:
        harness.exec("/bin/checkout", args=[basket])
    except HarnessError as error:
        print(error.code, error)
"""
"""The beginning of a script: a function that tries to buy a basket, and prints its failure."""
ANSWER = """
scratchpad["answer"], scratchpad["outcome"] = "It cannot be bought today.", "OUTCOME_NONE_UNSUPPORTED"
harness.answer(scratchpad, lambda sp: sp["answer"].startswith("It"))
"""
"""The end of a script: the right answer."""


def run_that_buys(folder: Path, *baskets: str) -> CommandResult:
    """Run a model that tries to buy these baskets, one after the other, and then answers.

    It has its answer three times in its file of replies, as checks may send an answer back twice.
    """
    script = DEFINE_BUY
    for basket in baskets:
        script += f"buy('{basket}')\n"
    replies = ""
    for code in (script, ANSWER, ANSWER, ANSWER):
        replies += f"[[reply]]\ncode = '''\n{code}\n'''\n"
    (folder / "tries.toml").write_text(replies, encoding="utf-8")
    return run_in_process(
        "run",
        CHECKOUT_TASK,
        "--model",
        "scripted:tries.toml",
        "--name",
        "tried",
        cwd=folder,
        COLUMNS="300",
    )


@pytest.mark.parametrize(
    ("baskets", "what_followed"),
    [
        pytest.param([BASKET], "not done", id="the model gives up"),
        pytest.param(
            [BASKET, BASKET], "repeated and sent", id="it makes the call again"
        ),
        pytest.param(
            [BASKET, OTHER_BASKET], "done otherwise", id="it makes another call"
        ),
    ],
)
def test_a_run_tells_what_followed_a_stopped_call(
    baskets: list[str], what_followed: str, tmp_path: Path
) -> None:
    """A check before the call has stopped the first purchase. Below its table, the run tells what
    the model did then, and with which score."""
    run = run_that_buys(tmp_path, *baskets)

    assert f"pre-call check held 1 call; {what_followed} (mean score" in run.out
    shown = run_in_process("show", "tried", "--json", cwd=tmp_path).json
    assert shown["stopped_calls"][what_followed]["calls"] == 1
    assert shown["trials"][0]["stopped_calls"] == [
        {"operation": "exec", "path": "/bin/checkout", "then": what_followed}
    ]


def test_a_call_that_is_repeated_is_sent_and_spoils_the_score(tmp_path: Path) -> None:
    """A check can only warn; the second time, the model gets its way, and buys the basket."""
    run_that_buys(tmp_path, BASKET, BASKET)

    shown = run_in_process("show", "tried", "--json", cwd=tmp_path).json

    assert shown["stopped_calls"]["repeated and sent"]["mean_score"] == 0.0


@pytest.mark.parametrize(
    "baskets",
    [
        pytest.param([BASKET], id="the model gives up"),
        pytest.param([BASKET, BASKET], id="it makes the call again"),
        pytest.param([BASKET, OTHER_BASKET], id="it makes another call"),
    ],
)
def test_a_stopped_call_is_replayed_as_recorded(
    baskets: list[str], tmp_path: Path
) -> None:
    """The script sees the stopped call as the error `failed_precondition`, in a replay, too."""
    run_that_buys(tmp_path, *baskets)

    verified = run_in_process("replay", "tried", "--verify", cwd=tmp_path)
    replay = run_in_process(
        "replay", "tried", "--trial", CHECKOUT_TASK, cwd=tmp_path, COLUMNS="300"
    )

    assert "everything is as recorded" in verified.out
    assert "failed_precondition" in replay.out
