"""The first message of a trial while it is written: its calls, its facts and its sections.

An environment *declares* calls for the first message, such as `exec /bin/whoami`. They are made
before the model is asked. Each goes three ways:

    draft.send(declared)               the call is sent, and may still run
    draft.facts.asker = "m-7"          its result says who asks, so that files of `m-7` are chosen
    draft.writer.add_result(...)       its result is shown: `user: m-7`
"""

from __future__ import annotations

from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.initial_calls.call_batches import call_batches
from controlplane.agent.initial_calls.declared_call import DeclaredCall
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.initial_calls.sections.section_writer import SectionWriter
from controlplane.agent.initial_calls.sent_call import SentCall
from controlplane.agent.initial_calls.working_tools import without_failed_tools
from controlplane.agent.loop.session.trial_context import TrialContext
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.sandbox.interface import Operation, ToolSchema


class MessageDraft:
    """The first message of a trial while it is written."""

    def __init__(self, trial: TrialContext, recorder: Recorder, max_chars: int) -> None:
        """The results of the calls may take `max_chars` characters in the message."""
        self.calls = InitialCalls(recorder)
        """Makes the calls, each of them once."""
        self.batches = call_batches(recorder.tool_schema)
        """The declared calls, by when they are sent."""
        self.facts = RequestFacts(trial.instruction, trial.now)
        """What is known about the request: the rules, who asks, the listed files."""
        self.writer = SectionWriter(recorder.tool_schema, max_chars)
        """Writes the sections of the message, and knows how much room is left in it."""

    def send(self, declared: DeclaredCall) -> SentCall:
        """Send a declared call, and return it. It may still run, beside others."""
        call = self.calls.send(declared.operation.name, declared.arguments)
        return SentCall(declared, call)

    def send_again(self, failed: SentCall) -> SentCall:
        """Send a call that has failed a second time, and return the second try."""
        declared = failed.declared
        call = self.calls.send_again(declared.operation.name, declared.arguments)
        return SentCall(declared, call)

    def was_read(self, path: str, read: Operation) -> bool:
        """Return True if a call of the operation `read` was sent for this file before."""
        return self.calls.sent_call(read.name, {read.subject: path}) is not None

    @property
    def working_tool_schema(self) -> ToolSchema:
        """The environment's declaration without the tools whose test call failed."""
        outcomes = [call.outcome() for call in self.calls.all_calls]
        return without_failed_tools(self.calls.tool_schema, outcomes)
