"""All that a trial knows between two steps, to compare a resumed trial with the interrupted one.

    state_of(resumed.turns) == state_of(interrupted.turns)
    state_of(turns)["accepted answer"]    # -> "", as no answer was accepted yet

A resumed trial builds this state from its journal. No public interface shows all of the state, so private
fields are read, too.
"""

from dataclasses import fields
from typing import Any

from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.loop.turn_loop import TurnLoop
from controlplane.gates.evidence import Evidence


def state_of(turns: TurnLoop) -> dict[str, Any]:
    """Return what the turns of a trial know, by a name for each part."""
    return {
        **known_texts(turns.session),
        **evidence_for_answers(turns.session),
        **submitted_answers(turns.session),
        **used_limits(turns),
        "conversation": turns.conversation,
    }


def known_texts(session: TrialSession) -> dict[str, Any]:
    """Return what was read, which values in it nobody vouches for, and which calls were stopped."""
    recorder = session.gated_exit.recorder
    provenance = recorder.call_origins.provenance
    texts = provenance.texts
    return {
        "texts": {**vars(texts), "index": vars(texts.index)},
        "untrusted values": provenance.untrusted,
        "stopped calls": vars(recorder.checks.stops.stopped_calls),
    }


def evidence_for_answers(session: TrialSession) -> dict[str, Any]:
    """Return what an answer is checked by: `{"calls": (...), "printed": (...), ...}`."""
    evidence = session.gated_exit.recorder.evidence_log.view()
    return {part.name: getattr(evidence, part.name) for part in fields(Evidence)}


def submitted_answers(session: TrialSession) -> dict[str, Any]:
    """Return the answers so far, and whether there may be another one."""
    outlet = session.gated_exit.outlet
    return {
        "submissions": session.gated_exit.history,
        "accepted answer": outlet.accepted.message if outlet.accepted else "",
        "is closed": outlet.is_closed,
        "is answered": outlet.is_answered,
    }


def used_limits(turns: TurnLoop) -> dict[str, Any]:
    """Return how much of each limit the trial has used."""
    session = turns.session
    last_step = session.completed_steps.last
    # A step records the time of the trial up to its end.
    used_ms = last_step.used_ms if last_step else 0
    return {
        "limits": session.completed_steps.limits,
        "spending": session.budget.cost_limit,
        "used time": used_ms,
        "steps": turns.limits.steps,
        "context": turns.limits.context,
        "repetition": turns.limits.repetition,
        "unusable replies": turns.limits.unusable,
    }
