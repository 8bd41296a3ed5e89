"""Puts together what makes the calls of a trial, and records them.

A script's call takes one of two ways. Both end in the journal, which the `CallJournal` writes:

    read("/a.md")   TrialCalls -> CallSender, which sends it to the environment
    books_by("A")   TrialCalls -> FunctionCaller, which runs code of the benchmark

While the function `books_by` runs, in a process of its own, it asks for further calls: its *inner
calls*, such as `read("/books/b1.json")`. The `CallSender` sends them, too.
"""

from __future__ import annotations

from controlplane.agent.events import Emit
from controlplane.agent.evidence.calls.call_learner import CallLearner
from controlplane.agent.evidence.calls.live_calls import LiveCalls
from controlplane.agent.evidence.environment import Environment
from controlplane.agent.evidence.sending.call_journal import CallJournal
from controlplane.agent.evidence.sending.call_sender import CallSender
from controlplane.agent.evidence.sending.function_caller import FunctionCaller
from controlplane.agent.evidence.sending.function_process import FunctionProcess
from controlplane.agent.evidence.sending.inner_calls import InnerCalls
from controlplane.agent.evidence.sending.trial_calls import TrialCalls
from controlplane.agent.evidence.tape import TapeReader


def new_calls(
    trial_id: str,
    environment: Environment,
    reader: TapeReader,
    emit: Emit,
    learner: CallLearner,
) -> TrialCalls:
    """Return what makes the calls of a trial.

    `reader` has the recorded calls, if an earlier process of the trial was killed: they are neither
    made nor written again. `emit` writes an event to the journal. `learner` learns from the outcome
    of each call.
    """
    journal = CallJournal(trial_id, reader, emit, learner)
    sender = CallSender(journal, LiveCalls(environment))
    inner_calls = InnerCalls(sender, learner.tool_schema)
    functions = FunctionProcess(learner.pre_call_check)
    return TrialCalls(
        tool_schema=learner.tool_schema,
        sender=sender,
        function_caller=FunctionCaller(functions, inner_calls, journal),
        inner_calls=inner_calls,
    )
