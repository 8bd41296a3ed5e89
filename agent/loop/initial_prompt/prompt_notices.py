"""Notices for the user about the first messages of a run.

The user sees the progress of a run, but not its messages. If these have less than usual, a
line says why.
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.agent.events import CallRecord, ConversationOpened


def shortened_notice(opened: ConversationOpened) -> str:
    """Return the notice that a first message was shortened; empty if it was not."""
    context_tokens = opened.shortened_for  # 0 if it was not shortened
    if not context_tokens:
        return ""
    return (
        f"the model's context of {context_tokens:,} tokens has no room for all files that fit: "
        "first messages show fewer"
    )


def failed_searches_notice(calls: Iterable[CallRecord]) -> str:
    """Return the notice that all searches of the initial calls failed; else empty.

    Without any search, it is empty, too. Trials with the same error codes get the same
    notice, so the run can show it once.
    """
    codes: set[str] = set()
    for call in calls:
        if call.operation != "search":
            continue
        if call.error is None:
            return ""  # At least one search has worked.
        codes.add(call.error.code)
    if not codes:
        return ""
    return (
        f"the environment refuses every search of the initial prompt ({', '.join(sorted(codes))}): "
        "records are shown only if a request names their files"
    )
