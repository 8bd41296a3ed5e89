"""The limits that end a trial: steps, calls, tokens of the context, and repetition.

Before a limit is reached, the model is warned in the message after its step, so that it can still
answer. Some steps do not count ("are refunded"): scripts that were refused before they ran, and
replies without a script. A resumed trial counts what it did before the interruption.
"""

from __future__ import annotations

from controlplane.agent.events import Judged, ModelReplied, StepDone
from controlplane.agent.loop import BudgetLimits
from controlplane.agent.loop.limits.context_limit import ContextLimit
from controlplane.agent.loop.limits.rejected_submissions import RejectedSubmissions
from controlplane.agent.loop.limits.repetition import RepetitionLimit
from controlplane.agent.loop.limits.step_limit import StepLimit
from controlplane.agent.model import Reply, Usage
from controlplane.agent.record.trial_step import TrialStep
from controlplane.sandbox import Ending, ForkServer
from tests.agent.loop.phonebook_trials import LOOK_UP, feedback_of, solve_for_ada
from tests.support.scored_journal import trial_records_of
from tests.support.single_trial import step_reply

DEFAULTS = BudgetLimits()


def trial_step(done: StepDone, prompt_tokens: int = 0) -> TrialStep:
    """Return a whole step, for which the model was asked once with a prompt of this size."""
    usage = Usage(prompt_tokens=prompt_tokens)
    replied = ModelReplied(trial_id="t", step=done.step, reply="", usage=usage)
    return TrialStep(done.step, replies=[replied], done=done)


# Steps
# --------------------------------------------------------------------------------------------------------------


def count_refused_script(steps: StepLimit, number: int) -> None:
    """Count a step whose script was refused before it ran."""
    refunded = steps.refunds.can_refund_script
    done = StepDone(trial_id="t", step=number, code="import os", refunded=refunded)
    steps.count(trial_step(done))


def count_unusable_reply(steps: StepLimit, number: int) -> None:
    """Count a step whose reply had no script."""
    refunded = steps.refunds.can_refund_reply
    steps.count(trial_step(StepDone(trial_id="t", step=number, refunded=refunded)))


def test_three_refused_scripts_do_not_count_as_steps() -> None:
    """Five scripts are refused before they run. The fourth and the fifth count."""
    steps = StepLimit(DEFAULTS)

    for number in (1, 2, 3, 4, 5):
        count_refused_script(steps, number)

    assert DEFAULTS.script_refunds == 3
    assert steps.spent == 5 - DEFAULTS.script_refunds


def test_two_unusable_replies_do_not_count_as_steps() -> None:
    """Five replies have no script. The third, the fourth and the fifth count."""
    steps = StepLimit(DEFAULTS)

    for number in (1, 2, 3, 4, 5):
        count_unusable_reply(steps, number)

    assert DEFAULTS.reply_refunds == 2
    assert steps.spent == 5 - DEFAULTS.reply_refunds


def test_scripts_and_replies_are_refunded_independently() -> None:
    """Five scripts are refused, and then five replies have no script."""
    steps = StepLimit(DEFAULTS)

    for number in (1, 2, 3, 4, 5):
        count_refused_script(steps, number)
    for number in (6, 7, 8, 9, 10):
        count_unusable_reply(steps, number)

    assert steps.spent == 10 - DEFAULTS.script_refunds - DEFAULTS.reply_refunds


def test_a_trial_warns_asks_for_an_answer_and_ends(server: ForkServer) -> None:
    """The request to answer (the nudge) comes after `max_steps`, and the end some steps later."""
    budget = BudgetLimits(max_steps=7, extra_steps=2, warn_before=2)
    idle_scripts = [step_reply(f"print({number})") for number in range(20)]

    solved = solve_for_ada(server, *idle_scripts, budget=budget)

    assert "7 steps, and 2 more after the nudge" in solved.reason
    all_steps = budget.max_steps + budget.extra_steps
    assert len(solved.steps) == all_steps
    last_messages = [request[-1]["content"] for request in solved.model.requests]
    steps_before_warning = budget.max_steps - budget.warn_before
    steps_left = all_steps - steps_before_warning
    warning = f"Only {steps_left} steps are left"
    assert warning in last_messages[steps_before_warning]
    assert "used up" in last_messages[budget.max_steps]


# The context of the model
# --------------------------------------------------------------------------------------------------------------


def test_the_model_is_warned_before_its_context_is_full_and_the_trial_ends_then() -> (
    None
):
    """The limit is 1,000 tokens. The tokens of a text are estimated by what the endpoint counted."""
    context = ContextLimit(1000)
    # The endpoint counts 700 tokens for 2,100 characters: three characters are one token.
    context.add("x" * 2100)
    context.count(trial_step(StepDone(trial_id="t", step=1), prompt_tokens=700))
    assert context.reason == ""
    assert context.warning == ""

    context.add("z" * 210)  # now 770 tokens
    assert "200 tokens" in context.warning

    context.add("z" * 900)  # now 1,070 tokens
    assert "1,000 tokens (--max-context-tokens)" in context.reason


def test_a_first_request_that_is_too_long_says_what_helps() -> None:
    """The endpoint has not counted anything yet, so three characters are taken for a token."""
    context = ContextLimit(1000)

    context.add("x" * 9000)  # about 3,000 tokens

    assert "about 3,000; lower --initial-prompt-chars" in context.reason


# Calls of the environment
# --------------------------------------------------------------------------------------------------------------

LOOKS_UP_TWICE = step_reply("for number in range(2):\n    harness.lookup('ada')")
MAX_CALLS = 5
"""With this limit, the third script of two calls is refused its second call."""


def test_a_trial_warns_before_its_last_call_and_ends_after_it(
    server: ForkServer,
) -> None:
    """Each of three scripts makes two calls, and five are allowed."""
    solved = solve_for_ada(server, *[LOOKS_UP_TWICE] * 3, max_calls=MAX_CALLS)

    first, second, third = [feedback_of(step) for step in solved.steps]
    warning = "may make 1 more calls"
    assert warning not in first
    assert warning in second
    assert warning not in third
    assert "at most 5 calls (--max-calls)" in third
    assert solved.reason.startswith("no answer within 5 calls (--max-calls)")


def test_a_resumed_trial_counts_the_calls_that_it_has_made(server: ForkServer) -> None:
    """The trial is cut off after its second step, when one of five calls is left."""
    replies = [LOOKS_UP_TWICE] * 3
    whole = solve_for_ada(server, *replies, max_calls=MAX_CALLS)
    end_of_second_step = whole.events.index(whole.steps[1])
    record = trial_records_of(whole.events[: end_of_second_step + 1])["ada-0"]

    resumed = solve_for_ada(server, replies[2], record=record, max_calls=MAX_CALLS)

    assert feedback_of(resumed.steps[0]) == feedback_of(whole.steps[2])
    assert resumed.reason == whole.reason


# Repeated scripts and answers
# --------------------------------------------------------------------------------------------------------------


def test_a_script_with_the_same_output_is_warned_and_then_ends_the_trial(
    server: ForkServer,
) -> None:
    """The model replies with `print(1)` again and again."""
    solved = solve_for_ada(server, *[step_reply("print(1)")] * 6)

    warned_steps: list[int] = []
    for step in solved.steps:
        if "3 times in a row with the same output" in feedback_of(step):
            warned_steps.append(step.step)
    assert warned_steps == [3]
    assert len(solved.steps) == DEFAULTS.same_scripts
    assert (
        "the same script 5 times in a row, each time with the same output"
        in solved.reason
    )


def test_a_script_whose_output_changes_may_run_any_number_of_times() -> None:
    """A script may wait for something. Here its output changes after every second run."""
    repetition = RepetitionLimit(max_same=3, max_runs=5)

    for number in range(9):
        output = str(number // 2)
        done = StepDone(trial_id="t", step=number + 1, code="print(n)", output=output)
        repetition.count(trial_step(done))

        assert repetition.reason == ""


def test_a_script_that_failed_is_warned_at_its_first_repetition() -> None:
    """A failure will not go away by itself, so the warning comes earlier than for other scripts."""
    repetition = RepetitionLimit(max_same=5, max_runs=5)
    failed = StepDone(
        trial_id="t",
        step=1,
        code="count += 1",
        error="NameError: name 'count' is not defined",
        ending=Ending.RAISED,
    )

    repetition.count(TrialStep(1, done=failed))
    assert repetition.warning == ""

    repetition.count(TrialStep(2, done=failed))
    assert "name 'count' is not defined" in repetition.warning


def test_a_trial_ends_when_the_same_script_is_refused_five_times(
    server: ForkServer,
) -> None:
    """Scripts may not import `socket`."""
    forbidden_script = step_reply("import socket")

    solved = solve_for_ada(server, LOOK_UP, *[forbidden_script] * 9)

    assert "same script 5 times" in solved.reason
    assert len(solved.steps) == 1 + DEFAULTS.same_refusals  # with LOOK_UP


CITES_AN_UNREAD_FILE = step_reply(
    'scratchpad["answer"] = scratchpad["n"]\n'
    'scratchpad["outcome"] = "OUTCOME_OK"\n'
    'scratchpad["refs_why"] = {"/unread.md": "the number of ada"}\n'
    'harness.answer(scratchpad, lambda sp: sp["answer"] == "17")'
)
"""A script whose answer is rejected, because it cites a file that was not read."""


def test_a_trial_ends_when_the_same_answer_is_rejected_five_times(
    server: ForkServer,
) -> None:
    """After the first step, which looks the number up, each script submits the same answer."""
    solved = solve_for_ada(server, LOOK_UP, *[CITES_AN_UNREAD_FILE] * 9)

    assert "same answer 5 times in a row" in solved.reason
    assert len(solved.steps) == 1 + DEFAULTS.same_refusals  # with LOOK_UP


# Submissions
# --------------------------------------------------------------------------------------------------------------


def test_an_accepted_answer_that_the_environment_did_not_take_counts_as_submitted() -> (
    None
):
    """The gates have accepted it, so the trial did not end without a submission."""
    accepted = Judged(
        accepted=True,
        answer="7",
        outcome="OUTCOME_OK",
        refs=(),
        message="",
        verdicts=(),
    )

    submissions = RejectedSubmissions().followed_by(accepted)

    assert "did not take the last submission" in submissions.last_fault


SUBMISSIONS_OF_SCRIPT = 5
SUBMITS_FIVE_TIMES = step_reply(
    'scratchpad["outcome"] = "OUTCOME_OK"\n'
    'scratchpad["refs_why"] = {"/unread.md": "the number of ada"}\n'
    f"for number in range({SUBMISSIONS_OF_SCRIPT}):\n"
    '    scratchpad["answer"] = str(number)\n'
    "    try:\n"
    '        harness.answer(scratchpad, lambda sp: sp["answer"] != "")\n'
    "    except GateRejection as error:\n"
    "        print(error)"
)
"""A script that submits five answers. Gate 4 rejects each, because it cites an unread file."""


def test_three_submissions_of_a_script_and_twelve_of_a_trial_are_judged(
    server: ForkServer,
) -> None:
    """Each script submits five times, and three of these are judged. After four scripts, twelve
    submissions have been judged, and the trial ends."""
    judged_per_script = 3
    judged_per_trial = 12
    unjudged_per_script = SUBMISSIONS_OF_SCRIPT - judged_per_script

    solved = solve_for_ada(server, *[SUBMITS_FIVE_TIMES] * 9)

    assert len(solved.steps) == judged_per_trial // judged_per_script
    for step in solved.steps:
        assert len(step.verdicts) == judged_per_script
    # The other two submissions of each script are told to wait for the next script.
    *earlier_steps, last_step = solved.steps
    for step in earlier_steps:
        assert step.output.count("end the script") == unjudged_per_script
    # Those of the last script are told that the trial has no submissions left.
    assert last_step.output.count("end the script") == 0
    trial_limit_note = "12 submissions of this trial were sent back"
    assert last_step.output.count(trial_limit_note) == unjudged_per_script
    assert solved.reason.startswith(
        "12 submissions were sent back: the last submission was sent back by gate 4"
    )


# Unusable replies: those without a script
# --------------------------------------------------------------------------------------------------------------

REPLY_WITHOUT_JSON = Reply(text="no JSON", reply_mode="schema")


def test_a_trial_ends_after_ten_unusable_replies_in_a_row(server: ForkServer) -> None:
    """The model was asked for a JSON object by a schema, and replies with something else."""
    solved = solve_for_ada(server, *[REPLY_WITHOUT_JSON] * 12)

    assert solved.reason == "every reply held no JSON object"
    assert len(solved.steps) == DEFAULTS.unusable_replies


def test_a_resumed_trial_counts_the_unusable_replies_before_it(
    server: ForkServer,
) -> None:
    """Seven of ten unusable replies are in the record."""
    whole = solve_for_ada(server, *[REPLY_WITHOUT_JSON] * 12)
    recorded_steps = 7
    recorded_events = [
        event for event in whole.events if getattr(event, "step", 0) <= recorded_steps
    ]
    record = trial_records_of(recorded_events)["ada-0"]

    resumed = solve_for_ada(server, *[REPLY_WITHOUT_JSON] * 12, record=record)

    assert resumed.reason == whole.reason
    assert len(resumed.steps) == DEFAULTS.unusable_replies - recorded_steps


def test_a_trial_ends_when_replies_have_the_same_fault_five_times(
    server: ForkServer,
) -> None:
    """The model replies with the same sentence, without a script."""
    solved = solve_for_ada(server, *["I cannot do it."] * 8)

    assert len(solved.model.requests) == DEFAULTS.same_faults
