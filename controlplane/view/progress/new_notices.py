"""The notices of a run that the user has not seen."""

from __future__ import annotations

from controlplane.gate_texts import cause_of
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.quantity_texts import count_text
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import one_line


class NewNotices:
    """Gives each notice of a run once."""

    def __init__(self, shown: int) -> None:
        self._shown = shown
        """The number of notices that were shown, or belong to an earlier part of the run."""

    def of(self, summary: RunSummary) -> list[str]:
        notices = summary.notices[self._shown :]
        self._shown += len(notices)
        return notices


class NewCauses:
    """Gives each cause of notices once. Many trials may have notices with the same cause."""

    def __init__(self, notices: NewNotices) -> None:
        self._notices = notices
        self._shown: set[str] = set()

    def lines(self, summary: RunSummary) -> list[str]:
        """Return a line for each new cause; if there are many, lines for a few of them."""
        new_causes = []
        for notice in self._notices.of(summary):
            cause = cause_of(notice)
            if cause not in self._shown:
                self._shown.add(cause)
                new_causes.append(cause)

        lines = [
            f"notice: {one_line(cause)}"
            for cause in new_causes[: bounds.SHOWN_EXAMPLES]
        ]
        left_out = len(new_causes) - bounds.SHOWN_EXAMPLES
        if left_out > 0:
            lines.append(f"notice: {count_text(left_out, 'more cause')}")
        return lines
