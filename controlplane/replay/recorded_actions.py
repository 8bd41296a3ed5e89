"""Repeats those recorded actions of a solver that no script repeats: calls, citations, submissions."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from controlplane.agent.events import CallRecord, Citation, Judged, submission_of
from controlplane.agent.gated_exit import NotJudged
from controlplane.agent.loop import TrialSession
from controlplane.agent.record.trial_step import TrialStep
from controlplane.sandbox.interface import CallError


@dataclass(frozen=True, slots=True)
class _Action:
    """A recorded call, citation or submission of a solver without scripts."""

    after_calls: int
    """The number of calls that precede it in its step."""
    content: CallRecord | Citation | Judged


def repeat_actions(step: TrialStep, session: TrialSession) -> None:
    """Repeat the citations, submissions and calls of a step in their recorded order."""
    # Actions are sorted by the number of calls before them. For a citation between the
    # second and the third call, and for the third call itself, this number is 2. The
    # citation came first. Sorting keeps the order of equal numbers, so the list has
    # citations and submissions before calls.
    actions: list[_Action] = []
    for citation in step.citations:
        actions.append(_Action(citation.after_calls, citation))
    for judged in step.submissions:
        if judged.submitted_parts is not None:
            actions.append(_Action(judged.submitted_parts.after_calls, judged))
    for number, call in enumerate(step.calls):
        # A function of the environment makes calls itself: `outer` is the call of the
        # function. To repeat that call makes them again.
        is_made_by_function = call.outer is not None
        if not is_made_by_function:
            actions.append(_Action(number, call))

    for action in sorted(actions, key=lambda action: action.after_calls):
        # An action that was refused in the trial is refused again, with an exception.
        with suppress(CallError, NotJudged, ValueError):
            _repeat(action.content, session)


def repeat_left_answer(step: TrialStep, session: TrialSession) -> None:
    """Submit the answer again that the last script of a trial left, if the step has one.

    The script only put it into its scratchpad, and the solver submitted it after the script.
    """
    for judged in step.submissions:
        if judged.submitted_parts is not None:  # The script did not submit it itself.
            with suppress(CallError, NotJudged):
                _repeat(judged, session)


def _repeat(content: CallRecord | Citation | Judged, session: TrialSession) -> None:
    """Repeat one action. Raises the errors of the session."""
    match content:
        case Citation():
            session.check_citation(content.path, content.reason, content.quote)
        case Judged():
            session.submit(submission_of(content))
        case CallRecord():
            _repeat_call(content, session)


def _repeat_call(call: CallRecord, session: TrialSession) -> None:
    """Make a recorded call again, without checks and limits: it has passed them in the trial."""
    session.steps.begin()
    result = session.recorder.calls.make(
        call.operation, call.arguments, in_verify=call.in_verify
    )
    session.gated_exit.outlet.learn_call(call.operation, result)
