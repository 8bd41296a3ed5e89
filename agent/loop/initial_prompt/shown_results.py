"""Learns facts from the result of an initial call, and shows the result in the first message.

The draft of the message has both: its `facts` and its sections. For the call `exec /bin/whoami`,
which returns `user: m-7`:

    learned   facts.asker = "m-7", by which the records of this member are chosen
    shown     <section title="exec /bin/whoami">user: m-7</section>
"""

from __future__ import annotations

from controlplane.agent.initial_calls.call_kind import CallKind
from controlplane.agent.initial_calls.call_texts import outcome_text
from controlplane.agent.initial_calls.declared_call import DeclaredCall
from controlplane.agent.initial_calls.sections.shown_calls import show_result
from controlplane.agent.initial_calls.sent_call import SentCall
from controlplane.agent.loop.initial_prompt.declared_facts import learn_facts
from controlplane.agent.loop.initial_prompt.listings.listing_drawing import drawing_of
from controlplane.agent.loop.initial_prompt.listings.tree_files import (
    tree_files,
    tree_root,
)
from controlplane.agent.loop.initial_prompt.message_draft import MessageDraft
from controlplane.agent.retrieval.written_paths import paths_in


def learn_and_show(draft: MessageDraft, sent: SentCall) -> None:
    """Wait for a call, learn facts from its result, and show the result in the message."""
    declared = sent.declared
    if declared.only_tests_tool:
        return  # The call only finds out whether a tool works.
    # Facts decide what else the message shows, so a full message needs none. But the workspace's
    # rules are always learned: the gates (the rules for answers) judge by them.
    reads_rules = declared.kind is CallKind.READS_RULES
    if not draft.writer.has_room and not reads_rules:
        return
    learn_facts(sent, draft.facts, draft.calls.tool_schema)
    operation = declared.operation
    files = tree_files(sent, draft.calls) if operation.drawn_as_tree else None
    if files is not None:
        draft.facts.listed.add(tree_root(declared), files)
        text = _drawn_files(draft, declared)
    else:  # The call lists no tree, or has failed. Its result is shown, or its error.
        text = outcome_text(operation, sent.call.outcome())
    # This shows only as much of the text as there is room for.
    show_result(draft.writer, operation, sent.call, text, declared.max_chars)


def _drawn_files(draft: MessageDraft, tree: DeclaredCall) -> str:
    """Return the drawing of the files that a call has listed."""
    # Folders that the request names are drawn in full, if there is room.
    named_folders = paths_in(draft.facts.instruction)
    room = draft.writer.room_for_result(tree.max_chars)
    return drawing_of(tree, draft.facts.listed, named_folders, room)
