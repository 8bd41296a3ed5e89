"""The cited files of an answer, as they are shown to a model that looks for objections.

Each file is shown with its path. Of a file that the answer quotes, only the quoted lines are
shown, and the two lines before and after each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import Submission
from controlplane.gates.text_folding import bare_text
from controlplane.sandbox.interface import bounds

MIN_SHOWN_CHARS: Final = 300
"""The cited files share the room, but each shows at least this many characters."""
LINES_AROUND: Final = 2
"""Lines that are shown before and after a quoted line."""


def cited_lines(submission: Submission, evidence: Evidence) -> str:
    """Return the cited files, each with its path and the lines to show; empty if none is cited."""
    citations = submission.citations
    if not citations:
        return ""
    max_chars = max(bounds.SHOWN_PART_CHARS // len(citations), MIN_SHOWN_CHARS)
    # Two citations may name the same file: `/docs/a.md`, and `/docs/a.md#fees` for a part.
    paths = [evidence.find(citation).path for citation in citations]
    files: list[str] = []
    for path in dict.fromkeys(paths):
        lines = _latest_text(evidence, path).splitlines()
        quotations = evidence.quotations.get(path, ())  # from the answer's citations
        shown = "\n".join(_lines_to_show(lines, quotations))
        files.append(f"{path}:\n{shown[:max_chars]}")
    return "\n".join(files)


def _latest_text(evidence: Evidence, path: str) -> str:
    """Return the text of a file, as the last call that read it has returned it; else empty."""
    access = evidence.accesses.get(path)
    if access is None or not access.given_texts:
        return ""
    return access.given_texts[-1].text


def _lines_to_show(lines: Sequence[str], quotations: Sequence[str]) -> Sequence[str]:
    """Return the quoted lines of a file, with those around them; all lines if none is quoted."""
    bare_quotations = [bare_text(quotation) for quotation in quotations]
    numbers: set[int] = set()  # Numbers beyond the first and the last line do no harm.
    for number, line in enumerate(lines):
        if _is_quoted(bare_text(line), bare_quotations):
            numbers.update(range(number - LINES_AROUND, number + LINES_AROUND + 1))
    shown = [line for number, line in enumerate(lines) if number in numbers]
    return shown or lines


def _is_quoted(line: str, quotations: Sequence[str]) -> bool:
    """Return True if a line is a part of a quotation, or a quotation is a part of the line.

    All are given as `bare_text`, which leaves out the differences of blanks and case.
    """
    if not line:
        return False
    return any(
        line in quotation or (quotation != "" and quotation in line)
        for quotation in quotations
    )
