"""Takes facts about a request from the results of the calls that an environment declares."""

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
    tool_schema: ToolSchema
    """The environment's declaration."""

    def are_rules(self, declared: DeclaredCall) -> bool:
        """Return True if a call reads the workspace's rules."""
        return declared.returns_text_of(self.tool_schema.rules_document)

    def take(self, sent: SentCall) -> None:
        """Take the facts from the result of a call."""
        declared = sent.declared
        operation = declared.operation
        if self.are_rules(declared):
            text = sent.result().get(operation.json_field, "")
            self.facts.rules = str(text)
        elif operation.effect is Effect.EXECUTES and not declared.is_help:
            output = result_text(operation, sent.result())
            self.facts.outputs.append(output)
            self._take_asker(sent, output)

    def _take_asker(self, sent: SentCall, output: str) -> None:
        """Take the user who asks, if the tool prints this."""
        owners = self.tool_schema.record_owners
        if owners is not None and asks_who(owners, sent.call):
            self.facts.asker = asker_of(owners, output)
