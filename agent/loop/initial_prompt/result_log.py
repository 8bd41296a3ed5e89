"""Writes the initial calls of a trial to the journal, with how much of each result is shown.

An answer may only cite what the model has seen. So this comes last, when it is known how much of
each result the first message shows:

    read /docs/a.md, of which a part is shown     7,000 characters may be cited
    read /docs/b.md, which fits too little        nothing may be cited: it is not shown
    find *, which returned paths                  all of them: the drawing of the files has them
"""

from __future__ import annotations

from contextlib import suppress

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.initial_calls.section_writer import SectionWriter
from controlplane.agent.loop.initial_prompt.listings.found_files import FIND
from controlplane.agent.loop.initial_prompt.message_draft import MessageDraft
from controlplane.sandbox.interface import CallError


def write_results(draft: MessageDraft) -> None:
    """Write all initial calls to the journal, and add what is shown of them to the evidence."""
    for call in draft.calls.all_calls:
        citable_chars = _citable_chars(call, draft.writer)
        with suppress(CallError):  # A call that failed is written, too.
            draft.recorder.calls.sender.receive(call, shown_chars=citable_chars)


def _citable_chars(call: CallUnderWay, writer: SectionWriter) -> int | None:
    """Return how many characters of a result the model sees; None for all of them."""
    if call.number in writer.citable_chars:
        return writer.citable_chars[call.number]
    if call.call.operation == FIND:
        return None
    return 0
