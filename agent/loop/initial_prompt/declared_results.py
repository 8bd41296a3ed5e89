"""Makes the calls that an environment declares for every request, and shows their results.

They may run in parallel. A program that fails may have failed by chance, and later calls need
its output, so it is run once more:

    sent     tree /, read /RULES.md, exec /bin/whoami
    failed   exec /bin/whoami, with the exit code 1   -> it is sent again
    shown    the drawing of the tree, the rules, the output of the second run
"""

from __future__ import annotations

from controlplane.agent.initial_calls.call_kind import CallKind
from controlplane.agent.initial_calls.sent_call import SentCall
from controlplane.agent.loop.initial_prompt.message_draft import MessageDraft
from controlplane.agent.loop.initial_prompt.shown_results import learn_and_show


def show_declared_results(draft: MessageDraft) -> None:
    """Send the calls that need no results of others, and show their results."""
    sent_calls: list[SentCall] = []
    for declared in draft.batches.first:
        # With a small context there may be no room at all, not even at the beginning.
        if draft.writer.has_room or declared.kind is CallKind.READS_RULES:
            sent_calls.append(draft.send(declared))

    for sent in sent_calls:
        if sent.has_error_code():  # This waits for the call.
            sent = draft.send_again(sent)
        learn_and_show(draft, sent)
