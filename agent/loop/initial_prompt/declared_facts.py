"""Learns facts about a request from the results of the calls that an environment declares.

For example, the output `user: m-7` of `/bin/whoami` says that the member `m-7` asks.
Later calls use such facts: they look for records of this member.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.initial_calls.call_texts import result_text
from controlplane.agent.initial_calls.declared_calls import DeclaredCall, SentCall
from controlplane.agent.retrieval.record_owners import asker_of, asks_who
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.sandbox.interface import Effect, ToolSchema


@dataclass(frozen=True, slots=True)
class DeclaredFacts:
    """Adds to `facts` the rules, what tools print, and which user asks."""

    facts: RequestFacts
    """What is known about the request so far."""
    tool_schema: ToolSchema
    """The environment's declaration."""

    def are_rules(self, declared: DeclaredCall) -> bool:
        """Return True if a call reads the workspace's rules."""
        return declared.returns_text_of(self.tool_schema.rules_document)

    def learn(self, sent: SentCall) -> None:
        """Add the facts in the result of a call."""
        declared = sent.declared
        operation = declared.operation
        runs_tool = operation.effect is Effect.EXECUTES and not declared.is_help
        if self.are_rules(declared):
            text = sent.result().get(operation.json_field, "")
            self.facts.rules = str(text)
        elif runs_tool:
            output = result_text(operation, sent.result())
            self.facts.outputs.append(output)
            self._learn_asker(sent, output)

    def _learn_asker(self, sent: SentCall, output: str) -> None:
        """Add the user who asks, if the call runs the tool that prints it.

        The environment names this tool where it declares who owns which records.
        """
        owners = self.tool_schema.record_owners
        if owners is not None and asks_who(owners, sent.call):
            self.facts.asker = asker_of(owners, output)
