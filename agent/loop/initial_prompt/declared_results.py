"""Sends the calls that an environment declares for the first message, and shows their results.

The calls are made before the model is asked, so that it need not make them. They read the
rules of the workspace, run tools such as `/bin/whoami`, or list the tree of files.
"""

from __future__ import annotations

from controlplane.agent.initial_calls.declared_call import DeclaredCall, SentCall
from controlplane.agent.initial_calls.declared_calls import without_failed_tools
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.initial_calls.section_writer import SectionWriter
from controlplane.agent.loop.initial_prompt.declared_facts import (
    learn_facts,
    learn_files,
)
from controlplane.agent.loop.initial_prompt.listed_trees import draw_tree
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.rules_routing import paths_in
from controlplane.sandbox.interface import ToolSchema


class DeclaredResults:
    """Sends the calls that an environment declares for the first message, and uses their results.

    Each result is used twice. For example, `/bin/whoami` prints who asks. This is a fact, by
    which further files are chosen, and the output is shown in a section of the message.
    """

    def __init__(
        self, calls: InitialCalls, facts: RequestFacts, writer: SectionWriter
    ) -> None:
        self.calls = calls
        """Makes the calls, each of them once."""
        self.facts = facts
        """What is known about the request: the rules, who asks, the listed files."""
        self.writer = writer
        """Writes the sections of the message, and knows how much room is left in it."""

    def send(self, declared: DeclaredCall, *, attempt: int = 1) -> SentCall:
        """Send a declared call, and return it. It may still run.

        `attempt=2` sends a call again that has failed.
        """
        name = declared.operation.name
        call = self.calls.send(name, declared.arguments, attempt=attempt)
        return SentCall(declared, call)

    @property
    def working_tool_schema(self) -> ToolSchema:
        """The environment's declaration without the tools whose test call failed."""
        outcomes = [call.outcome() for call in self.calls.all_calls]
        return without_failed_tools(self.calls.tool_schema, outcomes)

    def reads_rules(self, declared: DeclaredCall) -> bool:
        """Return True if a call reads the workspace's rules."""
        return declared.returns_text_of(self.calls.tool_schema.rules_document)

    def learn_and_show(self, sent: SentCall) -> None:
        """Wait for a call, learn facts from its result, and show the result in the message."""
        declared = sent.declared
        if declared.only_tests_tool:
            return  # `working_tool_schema` uses its result.
        # Facts only decide what else is shown, so without room they are not needed. But the
        # rules are always needed: the gates check the answer by them.
        if not self.writer.has_room and not self.reads_rules(declared):
            return
        learn_facts(sent, self.facts, self.calls.tool_schema)
        drawing = None
        if declared.operation.drawn_as_tree:
            drawing = self._learn_tree(sent)
        # Without a drawing, the result itself is shown, or the error of the call.
        self.writer.show_result(
            declared.operation, sent.call, declared.max_chars, drawing=drawing
        )

    def _learn_tree(self, tree: SentCall) -> str | None:
        """Learn the files of a listed tree, and return its drawing; None if they are unknown.

        The drawing fits into the room that the message has. Folders that the request names
        are drawn in full.
        """
        knows_files = learn_files(tree, self.facts, self.calls)
        if not knows_files:
            return None
        named_folders = paths_in(self.facts.instruction)
        room = self.writer.room(tree.declared.max_chars)
        return draw_tree(tree.declared, self.facts.listed, named_folders, room)
