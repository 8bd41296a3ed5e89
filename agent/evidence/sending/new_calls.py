"""Puts together what makes the calls of a trial, and records them.

All calls end in the journal:

    read("/a.md")      TrialCalls -> CallSender, to the environment            -> CallRecorder
    a path too long    TrialCalls -> CallSender, which does not send it        -> CallRecorder
    books_by("A")      TrialCalls -> FunctionCaller, to a function that runs   -> CallRecorder

The function of the last call asks for further calls, the `InnerCalls`, which the `CallSender`
sends. While it runs, `TrialCalls` gives them to the same `InnerCalls`.

If the process of the trial was killed, the next one repeats the recorded steps, the *tape*. Their
calls get the recorded outcomes, and are neither made nor written again.
"""

from __future__ import annotations

from controlplane.agent.events import Emit
from controlplane.agent.evidence.calls.call_learner import CallLearner
from controlplane.agent.evidence.calls.live_calls import LiveCalls
from controlplane.agent.evidence.environment import Environment
from controlplane.agent.evidence.sending.call_recorder import CallRecorder
from controlplane.agent.evidence.sending.call_sender import CallSender
from controlplane.agent.evidence.sending.function_caller import FunctionCaller
from controlplane.agent.evidence.sending.function_process import FunctionProcess
from controlplane.agent.evidence.sending.inner_calls import InnerCalls
from controlplane.agent.evidence.sending.trial_calls import TrialCalls
from controlplane.agent.evidence.tape import TapeReader
from controlplane.agent.evidence.tape.call_events import CallEvents
from controlplane.agent.evidence.tape.recorded_calls import RecordedCalls


def new_calls(
    trial_id: str,
    environment: Environment,
    reader: TapeReader,
    emit: Emit,
    learner: CallLearner,
) -> TrialCalls:
    """Return what makes the calls of a trial.

    `reader` has the recorded calls that the trial repeats, and `emit` writes an event to the
    journal. `learner` learns from the outcome of each call.
    """
    tool_schema = learner.tool_schema
    recorder = CallRecorder(
        tool_schema=tool_schema,
        step=learner.step,
        recorded_calls=RecordedCalls(reader, tool_schema),
        events=CallEvents(trial_id, reader, emit),
        learner=learner,
    )
    sender = CallSender(recorder, LiveCalls(environment))
    inner_calls = InnerCalls(sender, tool_schema)
    return TrialCalls(
        tool_schema=tool_schema,
        sender=sender,
        function_caller=FunctionCaller(
            functions=FunctionProcess(learner.pre_call_check),
            inner_calls=inner_calls,
            recorder=recorder,
            reader=reader,
        ),
        inner_calls=inner_calls,
    )
