"""The loop of a trial: the model replies, its script runs, and the result goes back to the model.

A trial is solved in steps, each a reply and its script. These tests run whole trials with written
replies: what the next request has, what happens to answers that no script submitted, and how a
trial goes on after an interruption.
"""

from __future__ import annotations

import itertools
import json

import pytest

from controlplane.agent.events import (
    AnswerDone,
    AnswerSent,
    CallEvent,
    ModelReplied,
    Noticed,
    StepDone,
)
from controlplane.agent.loop import BudgetLimits
from controlplane.agent.model import Reply, ToolCall
from controlplane.agent.reply.unusable_reply import Fault
from controlplane.sandbox import FileTree, ForkServer
from tests.agent.loop.phonebook_trials import ANSWER, LOOK_UP, solve_for_ada
from tests.support.effect_counter import FILES, EffectCounterBenchmark
from tests.support.scored_journal import is_announced_call, trial_records_of
from tests.support.single_trial import SolvedTrial, solve_trial, step_reply


def notices_of(solved: SolvedTrial) -> list[str]:
    """Return the remarks on a trial that its user sees."""
    return [event.text for event in solved.events if isinstance(event, Noticed)]


# Rejections, and answers that no script submitted
# --------------------------------------------------------------------------------------------------------------

SWALLOWS_REJECTION = step_reply(
    'scratchpad["answer"] = "OUTCOME_OK: " + scratchpad["n"]\n'
    'scratchpad["outcome"] = "OUTCOME_OK"\n'
    "try:\n"
    "    harness.answer(scratchpad, lambda sp: '17' in sp['answer'])\n"
    "except GateRejection:\n"
    "    pass"
)
"""A script whose answer gate 6 rejects, because it has the outcome in its text."""


def test_the_model_is_told_of_a_rejection_that_its_script_swallowed(
    server: ForkServer,
) -> None:
    """The script catches the exception of the rejection and prints nothing."""
    solved = solve_for_ada(server, LOOK_UP, SWALLOWS_REJECTION, ANSWER)

    assert solved.reason == ""
    third_request = solved.model.requests[2]
    feedback = third_request[-1]["content"]
    assert "<gates>" in feedback
    assert "gate 6" in feedback


ONE_STEP = BudgetLimits(max_steps=1, extra_steps=0)
SETS_ANSWER = step_reply(
    'scratchpad["answer"] = harness.lookup("ada").number\nscratchpad["outcome"] = "OUTCOME_OK"'
)
"""A script that sets the right answer, and does not submit it."""


def test_an_unsubmitted_answer_is_submitted_at_the_end_of_the_trial(
    server: ForkServer,
) -> None:
    """The trial has one step, whose script only sets the answer."""
    solved = solve_for_ada(server, SETS_ANSWER, budget=ONE_STEP)

    assert solved.session.is_over
    (answer,) = [event for event in solved.events if isinstance(event, AnswerSent)]
    assert answer.message == "17"
    assert not answer.fallback


def test_an_unsubmitted_answer_that_the_gates_reject_is_not_sent(
    server: ForkServer,
) -> None:
    """The trial has one step, whose script sets an answer with an outcome in its text."""
    sets_wrong_answer = step_reply(
        'scratchpad["answer"] = "OUTCOME_OK: 17"\nscratchpad["outcome"] = "OUTCOME_OK"'
    )

    solved = solve_for_ada(server, sets_wrong_answer, budget=ONE_STEP)

    assert not solved.session.is_over
    assert not [event for event in solved.events if isinstance(event, AnswerSent)]
    (step,) = solved.steps
    assert not step.verdicts[0].accepted


def test_the_user_is_not_told_that_an_answer_was_judged_if_it_was_not(
    server: ForkServer,
) -> None:
    """The script uses up its three submissions, and only then sets an answer."""
    script = step_reply(
        "for _ in range(3):\n"
        "    try:\n"
        "        harness.answer(scratchpad, lambda sp: True)\n"
        "    except GateRejection:\n"
        "        pass\n"
        'scratchpad["answer"] = "17"\n'
        'scratchpad["outcome"] = "OUTCOME_OK"'
    )

    solved = solve_for_ada(server, script, budget=ONE_STEP)

    assert len(solved.steps[0].verdicts) == 3
    for notice in notices_of(solved):
        assert "the gates judged it" not in notice


def test_an_unsubmitted_answer_is_not_judged_before_the_last_step(
    server: ForkServer,
) -> None:
    """The script may set an answer that a later one corrects."""
    solved = solve_for_ada(server, SETS_ANSWER, LOOK_UP, ANSWER)

    assert solved.steps[0].verdicts == ()
    assert solved.reason == ""


# The next request
# --------------------------------------------------------------------------------------------------------------


def test_after_a_repeated_failure_one_request_has_a_higher_temperature(
    server: ForkServer,
) -> None:
    """A higher temperature lets the model try something else."""
    fails = step_reply("print(1 / 0)")

    solved = solve_for_ada(server, fails, fails, LOOK_UP, ANSWER)

    raised_temperature = 1.2
    assert solved.model.temperatures == [None, None, raised_temperature, None]


def test_a_script_that_fails_like_the_one_before_is_left_out_of_the_conversation(
    server: ForkServer,
) -> None:
    """A model that sees the same failure twice is tempted to repeat it."""
    first_failure = step_reply("print(1 / 0)  # as a reply reads")
    same_failure = step_reply("value = 1 / 0")

    solved = solve_for_ada(server, first_failure, same_failure, LOOK_UP, ANSWER)

    conversation = [message["content"] for message in solved.model.requests[-1]]
    assert first_failure in conversation
    assert same_failure not in conversation
    assert LOOK_UP in conversation


def test_every_request_of_35_steps_begins_with_the_whole_one_before(
    server: ForkServer,
) -> None:
    """Endpoints cache the beginning of a conversation, so nothing in it may change later."""
    replies = [step_reply(f"print({number})") for number in range(45)]
    # Mistakes in between get feedback of their own kinds.
    replies[5] = step_reply("print(1")
    replies[12] = step_reply("import os")
    replies[19] = "not JSON at all"
    replies[26] = step_reply("raise ValueError('no')")

    requests = solve_for_ada(server, *replies).model.requests

    assert len(requests) >= 35
    request_texts: list[str] = []
    for request in requests:
        request_texts.append("".join(json.dumps(message) for message in request))
    for earlier, later in itertools.pairwise(request_texts):
        assert later.startswith(earlier)


# Replies with something unusual
# --------------------------------------------------------------------------------------------------------------


def test_the_user_is_told_of_actions_behind_the_one_that_ends_the_trial(
    server: ForkServer,
) -> None:
    """The reply has an action that answers, and another one behind it."""
    two_actions = f"{ANSWER}\n{LOOK_UP}"

    solved = solve_for_ada(server, LOOK_UP, two_actions)

    assert notices_of(solved) == ["The reply held two actions. Only the first was run"]


def test_a_call_of_an_unknown_tool_is_reported_with_its_name(
    server: ForkServer,
) -> None:
    """The model is to call `execute_script`, or to reply with JSON."""
    call = ToolCall(name="get_weather", arguments='{"city": "Rome"}')
    reply = Reply(text="", tool_calls=(call,))

    solved = solve_for_ada(server, reply, LOOK_UP, ANSWER)

    assert solved.steps[0].fault == Fault.WRONG_TOOL
    assert "'get_weather'" in solved.steps[0].error


def test_a_reply_of_thoughts_without_text_is_reported_as_such(
    server: ForkServer,
) -> None:
    """Such a reply has no action, but the model has not refused to act either."""
    reply = Reply(text="", reasoning="The files may say it.")

    solved = solve_for_ada(server, reply, LOOK_UP, ANSWER)

    assert solved.steps[0].fault == Fault.ONLY_THOUGHTS


# Resumed trials
# --------------------------------------------------------------------------------------------------------------


def test_a_trial_that_is_resumed_after_any_event_comes_to_the_same_end(
    server: ForkServer,
) -> None:
    """Cut the journal of a whole trial after each event, resume from there, and compare."""
    whole = solve_for_ada(server, LOOK_UP, "no JSON", ANSWER)
    replies = [event.reply for event in whole.events if isinstance(event, ModelReplied)]
    whole_outputs = [step.output for step in whole.steps]

    for event_count in range(1, len(whole.events)):
        if isinstance(whole.events[event_count], AnswerDone | AnswerSent):
            break  # From here on, the trial is over.
        record = trial_records_of(whole.events[:event_count])["ada-0"]
        recorded_reply_count = len(record.step_summaries)
        if record.all_steps.cut_off is not None:
            recorded_reply_count += 1  # The reply to a step that has not ended.
        remaining_replies = replies[recorded_reply_count:]

        resumed = solve_for_ada(server, *remaining_replies, record=record)

        assert resumed.reason == "", event_count
        all_steps = [*record.step_summaries, *resumed.steps]
        assert [step.output for step in all_steps] == whole_outputs
        # The model is not asked again for a reply that the journal holds.
        assert resumed.model.requests == whole.model.requests[recorded_reply_count:]


CHECKS_OUT = step_reply(
    "try:\n"
    "    harness.exec('/bin/checkout')\n"
    "except HarnessError as error:\n"
    "    scratchpad['error'] = str(error)\n"
    "    print(error)"
)
"""A script that runs a program which adds one to a count, the effect `checkout`. Where the call
fails, the script prints the error and goes on."""


def test_a_change_that_was_cut_off_is_reported_as_unknown_and_not_made_again(
    server: ForkServer,
) -> None:
    """The journal is cut between the announcement of a changing call and its result: the process
    was killed while the call was under way, so that nobody knows whether it was made."""
    benchmark = EffectCounterBenchmark(1)
    whole = solve_trial(benchmark, "run1-0", [CHECKS_OUT], server, budget=ONE_STEP)
    assert benchmark.effects["run1-0"]["checkout"] == 1
    event_counts_with_announcement: list[int] = []
    for event_count, event in enumerate(whole.events, start=1):
        if is_announced_call(event):
            event_counts_with_announcement.append(event_count)
    recorded_events = whole.events[: event_counts_with_announcement[-1]]
    record = trial_records_of(recorded_events)["run1-0"]

    resumed = solve_trial(
        benchmark, "run1-0", [], server, budget=ONE_STEP, record=record
    )

    assert benchmark.effects["run1-0"]["checkout"] == 1
    (step,) = resumed.steps
    assert "not known" in step.output
    call_events = [event for event in resumed.events if isinstance(event, CallEvent)]
    lost_call = call_events[
        0
    ]  # The result which the cut journal lacks is written first.
    assert lost_call.step == 1
    assert lost_call.error == step.calls[-1].error
    assert lost_call.number == len(step.calls) - 1


# Citations with a quotation
# --------------------------------------------------------------------------------------------------------------

NOTE = "a note\n\nthe word\nis heron\n"
"""The quoted words begin in its line 3 and go on after a line break."""
CITES_NOTE_TWICE = step_reply(
    "harness.read('/note.txt')\n"
    "try:\n"
    "    scratchpad.cite('/note.txt', 'steht dort oben', quote='the word is crane')\n"
    "except CitationError as error:\n"
    "    print(error)\n"
    "scratchpad.cite('/note.txt', 'steht dort oben', quote='WORD  is heron')\n"
    "scratchpad['answer'] = 'heron'\n"
    "scratchpad['outcome'] = 'OUTCOME_OK'\n"
    "harness.answer(scratchpad, lambda sp: sp['answer'] == 'heron')"
)
"""Cites the note with a wrong quotation and then with a right one, and answers."""


@pytest.fixture
def citing_step(server: ForkServer) -> StepDone:
    """Return the only step of a trial whose script cites the note twice."""
    benchmark = EffectCounterBenchmark(1)
    benchmark.start_trial("run1-0")
    benchmark.worlds["run1-0"].tree = FileTree({**FILES, "/note.txt": NOTE})
    budget = BudgetLimits(max_steps=3, extra_steps=0)
    solved = solve_trial(benchmark, "run1-0", [CITES_NOTE_TWICE], server, budget=budget)
    (step,) = solved.steps
    return step


def test_a_wrong_quotation_is_refused_and_journalled_without_a_line(
    citing_step: StepDone,
) -> None:
    """The note says "the word is heron", and the script quotes "the word is crane"."""
    message = "`the word is crane` is not in what was read of `/note.txt`"
    assert message in citing_step.output
    wrong_citation = citing_step.citations[0]
    assert wrong_citation.quote == "the word is crane"
    assert wrong_citation.line == 0
    assert wrong_citation.error


def test_a_right_quotation_is_journalled_with_its_line(citing_step: StepDone) -> None:
    """The quotation begins in line 3 of the note."""
    assert len(citing_step.citations) == 2
    right_citation = citing_step.citations[1]
    assert right_citation.quote == "WORD  is heron"
    assert right_citation.line == 3
    assert not right_citation.error


def test_a_quotation_justifies_a_citation_whose_reason_names_nothing(
    citing_step: StepDone,
) -> None:
    """The reason is German, so that gate 5 finds nothing of the note in it."""
    (judged,) = citing_step.verdicts
    results = {verdict.key: verdict.result for verdict in judged.verdicts}
    reason_gate = "5"
    assert results[reason_gate] == "pass"
