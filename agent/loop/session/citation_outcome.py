"""Decides whether a path may be cited as a source of the answer: only if the trial has read it.

    cite "docs/fees.md", which was read     spelling="/docs/fees.md"
    cite "/docs/new.md", which was not      error="`/docs/new.md` was not read ..."

Both outcomes are recorded. A script could make up a path of any length, which would fill the
record. So `refuse_long` is called first, before anything is recorded, and then `with_outcome`.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.events import Citation
from controlplane.agent.evidence.recorder import Recorder
from controlplane.gates.quoting import quote
from controlplane.sandbox.interface import bounds

MAX_REASON_CHARS: Final = 4_000
"""Max characters of the reason for a citation. One or two sentences are usual."""


def refuse_long(path: str, reason: str) -> None:
    """Raise `ValueError` if the path or the reason of a citation is too long to be recorded."""
    if len(path) > bounds.MOST_PATH_CHARS or len(reason) > MAX_REASON_CHARS:
        msg = (
            f"a path has at most {bounds.MOST_PATH_CHARS} characters, "
            f"a reason {MAX_REASON_CHARS}: {quote(path)}"
        )
        raise ValueError(msg)


def with_outcome(citation: Citation, recorder: Recorder) -> Citation:
    """Return a citation with its outcome: path and line of the cited text, or why it is refused."""
    citations = recorder.evidence_log.citations  # It knows what the trial has read.
    try:
        place = citations.check(citation.path, citation.reason, citation.quote)
    except ValueError as refusal:
        return citation.model_copy(update={"error": str(refusal)})
    return citation.model_copy(update={"spelling": place.spelling, "line": place.line})
