"""Sends the calls that an environment declares, and shows their results.

These calls are made before the model is asked, and their results are in its first
message. They read the rules, run tools, or list a tree of files.
"""

from __future__ import annotations

from controlplane.agent.initial_calls.declared_calls import (
    DeclaredCall,
    SentCall,
    without_down,
)
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.initial_calls.section_writer import SectionWriter
from controlplane.agent.loop.initial_prompt.declared_facts import DeclaredFacts
from controlplane.agent.loop.initial_prompt.listed_trees import (
    draw_tree,
    tree_files,
    tree_root,
)
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.rules_routing import paths_in
from controlplane.sandbox.interface import ToolSchema


class DeclaredResults:
    """Sends declared calls, takes facts from their results, and shows the results."""

    def __init__(
        self, calls: InitialCalls, facts: RequestFacts, writer: SectionWriter
    ) -> None:
        self.calls = calls
        self.facts = facts
        """What is known about the request: the rules, who asks, the listed files."""
        self.writer = writer
        """Writes the results into the first message, as long as there is room."""
        self._declared_facts = DeclaredFacts(facts, calls.tool_schema)

    def send(self, declared: DeclaredCall, *, attempt: int = 1) -> SentCall:
        """Send a declared call."""
        name = declared.operation.name
        call = self.calls.send(name, declared.arguments, attempt=attempt)
        return SentCall(declared, call)

    @property
    def working_tools(self) -> ToolSchema:
        """The environment's declaration without the tools whose test call failed."""
        outcomes = [call.outcome() for call in self.calls.sent_calls]
        return without_down(self.calls.tool_schema, outcomes)

    def reads_rules(self, declared: DeclaredCall) -> bool:
        """Return True if a call reads the workspace's rules."""
        return self._declared_facts.are_rules(declared)

    def use(self, sent: SentCall) -> None:
        """Take the facts from a result, and show the result.

        The result of a probe, which only tests a tool, is ignored. Once the message has no
        room, only the rules are taken.
        """
        declared = sent.declared
        operation = declared.operation
        is_taken = self.writer.has_room or self.reads_rules(declared)
        if declared.is_probe or not is_taken:
            return
        self._declared_facts.take(sent)
        drawing = self._tree_drawing(sent) if operation.drawn_as_tree else None
        self.writer.show(operation, sent.call, declared.call.most_chars, text=drawing)

    def _tree_drawing(self, sent: SentCall) -> str | None:
        """Take the files of a tree into `facts.listed`, and return the tree's drawing.

        If the files cannot be known, return None. The call's own result or error is then
        shown.
        """
        tree = sent.declared
        files = tree_files(sent, self.calls)
        if files is None:
            return None
        self.facts.listed.add(tree_root(tree), files)
        named_folders = paths_in(self.facts.instruction)
        room = self.writer.room(tree.call.most_chars)
        return draw_tree(tree, self.facts.listed, named_folders, room)
