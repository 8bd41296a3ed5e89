"""Puts together what makes the calls of a trial, and records them.

    TrialCalls       makes `read("/a.md")`, or `books_by("A")`, a function of the benchmark
    SentCalls        sends the read to the environment
    FunctionCalls    runs the function in another process
    RequestedCalls   makes the calls that the function asks for
    RefusedCalls     refuses a call before it is sent
    CallRecorder     writes each of them to the journal

If the process of the trial was killed, the next one repeats the recorded steps, the *tape*. Their
calls get the recorded outcomes, and are neither made nor written again.
"""

from __future__ import annotations

from controlplane.agent.events import Emit
from controlplane.agent.evidence.calls.call_learner import CallLearner
from controlplane.agent.evidence.calls.live_calls import LiveCalls
from controlplane.agent.evidence.environment import Environment
from controlplane.agent.evidence.sending.benchmark_functions import BenchmarkFunctions
from controlplane.agent.evidence.sending.call_recorder import CallRecorder
from controlplane.agent.evidence.sending.function_calls import FunctionCalls
from controlplane.agent.evidence.sending.refused_calls import RefusedCalls
from controlplane.agent.evidence.sending.requested_calls import RequestedCalls
from controlplane.agent.evidence.sending.sent_calls import SentCalls
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
    tool_schema, step = learner.tool_schema, learner.step
    recorder = CallRecorder(
        tool_schema=tool_schema,
        step=step,
        recorded_calls=RecordedCalls(reader, tool_schema),
        events=CallEvents(trial_id, reader, emit),
        learner=learner,
    )
    sent_calls = SentCalls(recorder, LiveCalls(environment))
    requested_calls = RequestedCalls(sent_calls, tool_schema)
    functions = BenchmarkFunctions(learner.pre_call_check)
    return TrialCalls(
        tool_schema=tool_schema,
        sent_calls=sent_calls,
        functions=functions,
        function_calls=FunctionCalls(functions, requested_calls, recorder, reader),
        requested_calls=requested_calls,
        refused_calls=RefusedCalls(recorder),
    )
