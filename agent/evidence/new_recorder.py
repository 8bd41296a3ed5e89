"""Puts together the parts of a trial that make its calls, and learn from them.

recorder = new_recorder("t-3", environment, emit, tape=Tape())
recorder.calls.make("read", {"path": "/a.md"})   -> {"content": "fee: 7"}

The *tape* has the steps of an earlier process, which was killed. They are repeated, without making
their calls again. The tape of a new trial, `Tape()`, has none.
"""

from __future__ import annotations

from controlplane.agent.events import Emit
from controlplane.agent.evidence.calls.call_learner import CallLearner
from controlplane.agent.evidence.calls.pre_call_check import PreCallCheck
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.checks.new_checks import new_checks
from controlplane.agent.evidence.environment import Environment
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.restored_calls import RestoredCalls
from controlplane.agent.evidence.restored_steps import RestoredSteps
from controlplane.agent.evidence.sending.new_calls import new_calls
from controlplane.agent.evidence.tape import Tape, TapeReader, TrialJournal
from controlplane.agent.evidence.tape.trial_answers import TrialAnswers
from controlplane.agent.evidence.tape.trial_notices import TrialNotices
from controlplane.agent.evidence.tape.trial_start import TrialStart
from controlplane.sandbox import Worker


def new_recorder(
    trial_id: str,
    environment: Environment,
    emit: Emit,
    *,
    tape: Tape,
    worker: Worker | None = None,
) -> Recorder:
    """Return the recorder of a trial. `emit` writes an event to the journal, a file."""
    schema = environment.tool_schema
    # The current step, what the tape has of it, and the journal
    step = StepLog()
    reader = TapeReader(tape, step)
    journal = TrialJournal(reader, emit)

    # `learner` adds each call to the evidence, and to the origins of values.
    evidence = EvidenceLog(schema)
    origins = CallOrigins(schema, evidence)
    check = PreCallCheck(schema)
    learner = CallLearner(schema, step, evidence, origins, check)

    # Makes calls, judges them before that, and takes over those on the tape
    calls = new_calls(trial_id, environment, reader, emit, learner)
    checks = new_checks(trial_id, journal, learner, calls)
    restored_calls = RestoredCalls(step, reader, learner)
    return Recorder(
        trial_id=trial_id,
        tool_schema=schema,
        worker=worker,
        emit=emit,
        tape=tape,
        tape_reader=reader,
        step_log=step,
        evidence_log=evidence,
        call_origins=origins,
        pre_call_check=check,
        checks=checks,
        calls=calls,
        start=TrialStart(tape, calls.sender.live),
        journal=journal,
        notices=TrialNotices(tape, emit),
        answers=TrialAnswers(reader, environment, emit),
        restored_calls=restored_calls,
        restored_steps=RestoredSteps(step, evidence, restored_calls, checks),
    )
