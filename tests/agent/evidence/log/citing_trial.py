"""A trial that makes calls with chosen results, and tries to cite files for what they say.

A citation has a path and a reason: `/docs/Loans.md`, "a loan runs 21 days". It is accepted if a
call has read the file, and the reason names something that the call showed. A script that already
knows the words may try to have them shown at a path, without any file that has them.
"""

from tests.agent.evidence.log.chosen_calls import ChosenCalls
from tests.gates.found_verdicts import rejecting_gates
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad

REASON_GATE = 5
"""The gate that rejects a citation if no call has shown what its reason names."""

CITATION_GATES = {3, 4, REASON_GATE}
"""All gates that judge citations. Gate 3 judges their form, and gate 4 whether the file was read."""


class CitingTrial(ChosenCalls):
    """Makes calls, such as `read(path, content)`, and tells which files can then be cited.

    After `read("/docs/Loans.md", "A loan runs 21 days.")`, the file can be cited because "a loan runs
    21 days", and not because "a loan runs 90 days".
    """

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
        return CITATION_GATES.isdisjoint(self._gates_that_reject(path, reason))

    def has_shown(self, path: str, reason: str) -> bool:
        """Return True if a call has shown at this path what the reason names.

        Words that the script itself has written or passed to a tool do not count.
        """
        return REASON_GATE not in self._gates_that_reject(path, reason)

    def _gates_that_reject(self, path: str, reason: str) -> set[int]:
        """Return the gates that reject a submission with this citation."""
        scratchpad = valid_scratchpad(refs_why={path: reason})
        return set(rejecting_gates(judge_scratchpad(scratchpad, self.calls)))
