"""Sends the calls that an environment declares for the first message, and shows their results.

The calls are made before the model is asked, so that it need not make them. They read the
rules of the workspace, run tools such as `/bin/whoami`, or list the tree of files.
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
    """Sends the calls that an environment declares, learns from their results and shows them.

    For example, an environment declares that `/bin/whoami` is run first. Its output says
    which user asks: a fact for the calls that follow, and a section of the message. A
    `SentCall` is such a call after it was sent. It may still run.
    """

    def __init__(
        self, calls: InitialCalls, facts: RequestFacts, writer: SectionWriter
    ) -> None:
        self.calls = calls
        """Sends calls, and returns their results."""
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
    def working_tool_schema(self) -> ToolSchema:
        """The environment's declaration without the tools whose test call failed."""
        outcomes = [call.outcome() for call in self.calls.all_calls]
        return without_down(self.calls.tool_schema, outcomes)

    def reads_rules(self, declared: DeclaredCall) -> bool:
        """Return True if a call reads the workspace's rules."""
        return self._declared_facts.are_rules(declared)

    def learn_and_show(self, sent: SentCall) -> None:
        """Learn facts from a call's result, and show the result in the first message."""
        declared = sent.declared
        if declared.is_probe:
            return  # The call only tests whether a tool works (see `working_tool_schema`).
        if not self.writer.has_room and not self.reads_rules(declared):
            return  # Only the rules are needed in any case.

        self._declared_facts.learn(sent)
        shown_text = None  # None to show the result itself
        if declared.operation.drawn_as_tree:
            files = tree_files(sent, self.calls)
            if files is not None:
                self.facts.listed.add(tree_root(declared), files)
                shown_text = self._drawing(declared)
        max_chars = declared.call.most_chars  # as the environment declares
        self.writer.show(declared.operation, sent.call, max_chars, text=shown_text)

    def _drawing(self, tree: DeclaredCall) -> str:
        """Return the drawing of a tree of listed files, in the room that the message has."""
        named_folders = paths_in(self.facts.instruction)
        room = self.writer.room(tree.call.most_chars)
        return draw_tree(tree, self.facts.listed, named_folders, room)
