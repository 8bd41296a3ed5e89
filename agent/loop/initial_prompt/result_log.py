"""Writes the initial calls of a trial to the journal, with how much of each result is shown.

An answer may only cite what the model has seen. So this comes last, when it is known how much of
each result the first message shows:

    read /docs/a.md, of which a part is shown     7,000 characters may be cited
    read /docs/b.md, which fits too little        nothing may be cited: it is not shown
    find *, which returned paths                  all of them: the drawing of the files has them
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.loop.initial_prompt.listings.found_files import FIND
from controlplane.sandbox.interface import CallError


def write_results(
    calls: Iterable[CallUnderWay],
    citable_chars: Mapping[int, int],
    recorder: Recorder,
) -> None:
    """Write all initial calls to the journal, and add what is shown of them to the evidence.

    `citable_chars` says how many characters of a result are shown, by the number of the call. A
    call that is not in it is not shown (0), or is drawn as a tree of files (None: all is shown).
    """
    for sent in calls:
        shown_chars: int | None = citable_chars.get(sent.number, 0)
        if sent.call.operation == FIND and sent.number not in citable_chars:
            shown_chars = None  # The drawing of the files shows all of it.
        # `receive` awaits the result and writes the call. It raises the error of a failed call,
        # once that is written, too.
        with suppress(CallError):
            recorder.calls.sender.receive(sent, shown_chars=shown_chars)
