"""A trial whose calls have chosen results, and the files that it may cite after them.

    trial.read("/docs/Loans.md", "A loan runs 21 days.")
    trial.can_cite("/docs/Loans.md", reason="a loan runs 21 days")   # -> True
    trial.can_cite("/docs/Loans.md", reason="a loan runs 90 days")   # -> False: the file does not say so

A script may try to be shown its own words: it writes "a loan runs 90 days" into a new file, reads the
file, and cites it. Words that the script itself has written or passed to a tool do not count.
"""

from tests.agent.evidence.log.chosen_calls import ChosenCalls
from tests.gates.found_verdicts import rejecting_gates
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad

FORM_GATE = 3
"""The gate that rejects a citation for its form."""

READ_GATE = 4
"""The gate that rejects a citation if no call has read the file."""

REASON_GATE = 5
"""The gate that rejects a citation if no call has shown what its reason names."""


class CitingTrial(ChosenCalls):
    """Makes calls, such as `read(path, content)`, and tells which files can then be cited."""

    def can_cite(self, path: str, reason: str) -> bool:
        """Return True if the script's function `cite` and the gates accept the citation.

        `cite` must also keep the path as it is. It could correct the spelling instead, and so
        cite another file.
        """
        try:
            cited_place = self.calls.cite(path, reason)
        except ValueError:
            return False
        if cited_place.spelling != path:
            return False
        rejecting = self._gates_that_reject(path, reason)
        return rejecting.isdisjoint({FORM_GATE, READ_GATE, REASON_GATE})

    def has_shown(self, path: str, reason: str) -> bool:
        """Return True if a call has shown at this path what the reason names."""
        return REASON_GATE not in self._gates_that_reject(path, reason)

    def _gates_that_reject(self, path: str, reason: str) -> set[int]:
        """Return the gates that reject a submission with this citation."""
        reasons_by_path = {path: reason}
        scratchpad = valid_scratchpad(refs_why=reasons_by_path)
        return set(rejecting_gates(judge_scratchpad(scratchpad, self.calls)))
