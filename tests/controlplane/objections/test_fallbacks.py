"""What a run tells of fallbacks, stopped calls, and rules of the user that fail.

A trial without an acceptable answer submits a fallback, as the user has chosen. The run tells what
became of each stopped call, and a replay shows it as recorded. A user's rule with a mistake does
not end the trial, and is shown with its file and line.
"""

from pathlib import Path
from typing import Any

import pytest

from controlplane.benchmarks.ecom.ecom_benchmark import EcomTrialId
from controlplane.benchmarks.ecom.tasks.families import generate_task
from controlplane.benchmarks.ecom.world.names import PLAYED
from tests.benchmarks.ecom.variants import first_task
from tests.controlplane.objections.scripted_model import LOOK_UP, run_ada, write_replies
from tests.support.command import CommandResult, run_in_process
from tests.support.product_files import ROOT

# Runs whose model gives no answer that is accepted, and what is shown of them.
#
#     run_without_accepted_answer(folder)
#     only_trial(folder)["state"]    ->    "fallback"
#
# The model looks a number up, gives an answer that is sent back, and then has no reply any more.

ANSWER_CITING_UNREAD_FILE = """
scratchpad["answer"], scratchpad["outcome"] = "17", "OUTCOME_OK"
scratchpad["refs_why"] = {"/unread.md": "it is 17"}
harness.answer(scratchpad, lambda sp: sp["n"] in sp["answer"])
"""
"""Gate 4, a group of checks of citations, objects: the model cites a file that it has not read."""


def run_without_accepted_answer(folder: Path, *options: str) -> CommandResult:
    """Run a model that looks the number up, gives an answer that is sent back, and then has no
    reply for a third step. Asserts that the trial ended with a fallback."""
    run = run_ada(folder, LOOK_UP, ANSWER_CITING_UNREAD_FILE, options=options)
    assert "1 ended by the fallback" in run.out
    return run


def only_trial(folder: Path) -> dict[str, Any]:
    """Return what `show` tells about the one trial of the last run: `{"state": "fallback",
    ...}`."""
    shown = run_in_process("show", "last", "--json", cwd=folder).json
    (trial,) = shown["trials"]
    assert isinstance(trial, dict)
    return trial


def replayed_text(folder: Path) -> str:
    """Return what `replay` prints about the last run, in one line."""
    replay = run_in_process("replay", "last", cwd=folder, COLUMNS="200")
    return " ".join(replay.out.split())


# Runs of a task that asks to buy a basket, of which the shop has one product too few.
#
#     run = run_checkouts(folder, attempts=2)
#     run.out    # "... pre-call check held 1 call; repeated and sent ..."
#
# A check stops the first call of `/bin/checkout` for the basket, once. In a script, the stopped call
# is the error `failed_precondition`.

TASK = first_task("basket-checkout: one line is short")

OTHER_BASKET = "basket-9999"
"""The id of a basket that does not exist."""


def basket_of_task() -> str:
    """Return the id of the basket that the task asks to buy: `basket-0123`."""
    # A run with the default options plays this trial, whose id decides what the shop has.
    trial = EcomTrialId(TASK, repeat=0, seed=0, profile="prod", token="")
    task = generate_task(TASK, trial.world_seed, PLAYED)
    return str(task.truth.for_tests["id"])


def run_checkouts(
    folder: Path, *, attempts: int, then_other_basket: bool = False
) -> CommandResult:
    """Run a model that tries to buy the basket of the task so many times, in one script.

    Then it may try to buy another basket. At last, it answers that the basket cannot be bought.
    """
    baskets = [basket_of_task()] * attempts
    if then_other_basket:
        baskets.append(OTHER_BASKET)
    buy = f"""
for basket in {baskets!r}:
    try:
        harness.exec("/bin/checkout", args=[basket])
    except HarnessError as error:
        print(error.code, error)
"""
    answer = """
scratchpad["answer"] = "It cannot be bought today."
scratchpad["outcome"] = "OUTCOME_NONE_UNSUPPORTED"
harness.answer(scratchpad, lambda sp: sp["answer"].startswith("It"))
"""
    # Checks may send an answer back twice, so the model has to have it three times.
    write_replies(folder / "replies.toml", buy, *[answer] * 3)
    options = ("--model", "scripted:replies.toml", "--name", "tried")
    return run_in_process("run", TASK, *options, cwd=folder, COLUMNS="300")


# A fallback is what the product submits for a model that gives no acceptable answer.
#
# In these runs, the model answers "17" in its second step, and has no reply for a third. Gate 4, a
# check of citations, rejects the answer, as it cites a file that the model has not read. By default,
# the fallback is the last rejected answer. With `--fallback internal`, the fallback says that no
# answer was reached.

WHY_THE_MODEL_ENDED = (
    "the model failed: the replies file has no reply for turn 3 of this trial"
)


def test_the_fallback_is_the_last_answer_that_was_sent_back(tmp_path: Path) -> None:
    run = run_without_accepted_answer(tmp_path)

    reason = "fallback: its last submission, sent back by gate 4 (citations were read)"
    assert reason in replayed_text(tmp_path)
    assert f"{reason}; {WHY_THE_MODEL_ENDED}" in run.out

    trial = only_trial(tmp_path)
    assert trial["state"] == "fallback"
    assert trial["answer"].startswith("17")
    assert trial["outcome"] == "OUTCOME_OK"
    assert trial["fallback_failed"] == ["4"]
    assert trial["steps"] == 2


def test_the_option_fallback_submits_an_internal_error_instead(tmp_path: Path) -> None:
    """The model's answer "17" is not used, and no gate is named as the reason."""
    run = run_without_accepted_answer(tmp_path, "--fallback", "internal")

    reason = "fallback: ERR_INTERNAL"
    assert reason in replayed_text(tmp_path)
    assert f"{WHY_THE_MODEL_ENDED}; {reason}" in run.out
    assert f"; {WHY_THE_MODEL_ENDED}" not in run.out

    trial = only_trial(tmp_path)
    assert trial["state"] == "fallback"
    assert trial["answer"].startswith("No answer")
    assert trial["outcome"] == "OUTCOME_ERR_INTERNAL"
    assert trial["fallback_failed"] == []
    assert trial["steps"] == 2


# A replay of a trial that ended with a fallback does not mention initial calls if there were none.
#
# In some benchmarks, the product makes initial calls, and shows their results in the model's first
# message, before the note "All above counts as read". The phone book has no such calls. A fallback is
# the answer that the product gives if it accepted none of the model's.


@pytest.mark.parametrize(
    "options",
    [
        pytest.param((), id="the fallback is the model's last answer"),
        pytest.param(
            ("--fallback", "internal"), id="the fallback is an internal error"
        ),
    ],
)
def test_a_replay_does_not_mention_initial_calls_that_were_not_made(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    prompt = (ROOT / "prompts/first_message.md").read_text()
    note = "All above counts as read"
    assert prompt.startswith(note)
    run_without_accepted_answer(tmp_path, *options)

    replay = run_in_process("replay", "last", "--trial=ada", "--full", cwd=tmp_path)

    assert "first message" in replay.out
    assert "<instruction>" in replay.out  # The text of the message is shown.
    assert note not in replay.out


# A call that a check stopped is replayed as it was recorded.
#
# The model calls `/bin/checkout` to buy a basket, of which the shop has one product too few. A check stops
# this call, once, before it is made. In the model's script, the call raises the error `failed_precondition`.


@pytest.mark.parametrize(
    "checkouts",
    [
        pytest.param({"attempts": 1}, id="the model gives up"),
        pytest.param({"attempts": 2}, id="makes the call again, which is sent"),
        pytest.param(
            {"attempts": 1, "then_other_basket": True},
            id="tries to buy another basket, which does not exist",
        ),
    ],
)
def test_a_stopped_call_is_replayed_as_recorded(
    checkouts: dict[str, int], tmp_path: Path
) -> None:
    """`run_checkouts` plays the one trial of the run "tried", in which a model makes these calls."""
    run_checkouts(tmp_path, **checkouts)

    verified = run_in_process("replay", "tried", "--verify", cwd=tmp_path)
    replay = run_in_process(
        "replay", "tried", "--trial", TASK, cwd=tmp_path, COLUMNS="300"
    )

    assert "everything is as recorded" in verified.out
    assert "failed_precondition" in replay.out


# A run tells of the calls that a check stopped before they were sent, and what became of each.
#
# A task asks to buy a basket, of which the shop has one product too few. The model calls
# `/bin/checkout` for the basket all the same, and the check stops ("holds") the call, once.


@pytest.mark.parametrize(
    ("checkouts", "what_became_of_it", "is_sent"),
    [
        pytest.param({"attempts": 1}, "not done", False, id="the model gives up"),
        pytest.param(
            {"attempts": 2}, "repeated and sent", True, id="makes the call again"
        ),
        pytest.param(
            {"attempts": 1, "then_other_basket": True},
            "done otherwise",
            False,
            id="makes another call",
        ),
    ],
)
def test_a_run_tells_what_became_of_a_stopped_call(
    checkouts: dict[str, int], what_became_of_it: str, is_sent: bool, tmp_path: Path
) -> None:
    """The check only warns: a second call is sent, and the grader objects to the purchase."""
    run = run_checkouts(tmp_path, **checkouts)

    assert f"pre-call check held 1 call; {what_became_of_it} (mean score" in run.out
    shown = run_in_process("show", "tried", "--json", cwd=tmp_path).json
    assert shown["stopped_calls"][what_became_of_it]["calls"] == 1
    assert shown["stopped_calls"][what_became_of_it]["mean_score"] == 0.0
    assert shown["trials"][0]["stopped_calls"] == [
        {"operation": "exec", "path": "/bin/checkout", "then": what_became_of_it}
    ]
    reason_of_grader = f"got [exec /bin/checkout {basket_of_task()}]"
    assert (reason_of_grader in run.out) == is_sent


# Rules of the user that fail instead of judging an answer.
#
# A user may add rules for answers, as a module for `--rule-sets`. A rule with a mistake must not
# end the trial, and the user has to see where the mistake is.


BROKEN_RULES = """\
from controlplane.gates.rules import RuleSet, Rule


def bad(submission, evidence, case):
    return {}['none']


RULE_SET = RuleSet("mine", (Rule("bad", bad),))
"""
"""A module of the user, whose rule fails in line 5."""


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
    # calendar-date.1   1.00  OK ...
    #   ...; mine/bad: the rule failed: KeyError: 'none' (.../broken_rules.py, line 5)
    _, _, from_trial_on = run.out.partition("\ncalendar-date.1")
    line_of_trial, line_below, *_ = from_trial_on.splitlines()
    assert " OK " in line_of_trial
    assert message in line_below
    assert "broken_rules.py, line 5)" in line_below
