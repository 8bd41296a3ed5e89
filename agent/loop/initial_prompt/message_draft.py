"""The first message of a trial while it is written: its calls, its facts and its sections.

The calls are made before the model is asked. Each result is used twice:

| call | learned | shown |
|---|---|---|
| `exec /bin/whoami` | `facts.asker`: `m-7` | its output: `user: m-7` |
| `read /RULES.md` | `facts.rules` | the text |
| `tree /` | `facts.listed`: the paths of all files | a drawing of the tree |

By these facts, the files are chosen that fit the request.
"""

from __future__ import annotations

from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.initial_calls.declared_call import DeclaredCall
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.initial_calls.section_writer import SectionWriter
from controlplane.agent.initial_calls.sent_call import SentCall
from controlplane.agent.initial_calls.shown_calls import show_result
from controlplane.agent.initial_calls.working_tools import without_failed_tools
from controlplane.agent.loop.initial_prompt.declared_facts import learn_facts
from controlplane.agent.loop.initial_prompt.listed_trees import (
    draw_tree,
    tree_files,
    tree_root,
)
from controlplane.agent.loop.session.trial_context import TrialContext
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.written_paths import paths_in
from controlplane.sandbox.interface import ToolSchema


class MessageDraft:
    """The first message of a trial while it is written.

        sent = draft.send(whoami)      the call `exec /bin/whoami` runs, beside others
        draft.learn_and_show(sent)     `facts.asker` is "m-7", and a section shows the output

    The environment declares such calls. By the facts, further files are chosen to be shown.
    """

    def __init__(self, trial: TrialContext, recorder: Recorder, max_chars: int) -> None:
        """The results of the calls take at most `max_chars` in the message."""
        self.calls = InitialCalls(recorder)
        """Makes the calls, each of them once."""
        self.facts = RequestFacts(trial.instruction, trial.now)
        """What is known about the request: the rules, who asks, the listed files."""
        self.writer = SectionWriter(recorder.tool_schema, max_chars)
        """Writes the sections of the message, and knows how much room is left in it."""

    def send(self, declared: DeclaredCall) -> SentCall:
        """Send a declared call, and return it. It may still run."""
        call = self.calls.send(declared.operation.name, declared.arguments)
        return SentCall(declared, call)

    def send_again(self, declared: DeclaredCall) -> SentCall:
        """Send a call that has failed a second time, and return the second call."""
        call = self.calls.send(declared.operation.name, declared.arguments, again=True)
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
        """Wait for a call, learn facts from its result, and show the result in the message.

        Without room, only the rules are learned: the gates check the answer by them. Other facts
        just decide what else is shown.
        """
        declared = sent.declared
        if declared.only_tests_tool:
            return  # `working_tool_schema` uses its result.
        if not (self.writer.has_room or self.reads_rules(declared)):
            return
        learn_facts(sent, self.facts, self.calls.tool_schema)
        drawing = None
        if declared.operation.drawn_as_tree:
            drawing = self._learn_and_draw_tree(sent)
        # Without a drawing, the result itself is shown, or the error.
        show_result(
            self.writer,
            declared.operation,
            sent.call,
            declared.max_chars,
            drawing=drawing,
        )

    def _learn_and_draw_tree(self, sent: SentCall) -> str | None:
        """Add the files of a listed tree to the facts, and return the drawing of the tree.

        Returns None if the files cannot be known.
        """
        tree = sent.declared
        files = tree_files(sent, self.calls)
        if files is None:
            return None
        self.facts.listed.add(tree_root(tree), files)
        # Folders that the request names are drawn in full, if there is room.
        named_folders = paths_in(self.facts.instruction)
        room = self.writer.room_for_result(tree.max_chars)
        return draw_tree(tree, self.facts.listed, named_folders, room)
