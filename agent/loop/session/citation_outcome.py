"""Decides whether a path may be cited as a source of the answer: only if the trial has read it.

    cite "docs/fees.md", which was read     spelling="/docs/fees.md"
    cite "/docs/new.md", which was not      error="`/docs/new.md` was not read ..."

Both are recorded. A script could make up a path of any length, so a long one is refused before.
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
    """Return a citation with its outcome: where the file has it, or why it is refused."""
    read_files = recorder.evidence_log.citations
    try:
        place = read_files.check(citation.path, citation.reason, citation.quote)
    except ValueError as refusal:
        return citation.model_copy(update={"error": str(refusal)})
    return citation.model_copy(update={"spelling": place.spelling, "line": place.line})
