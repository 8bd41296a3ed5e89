"""The record of an improvement loop: a file with its plan, its proposals and its result.

The journals of the candidates' runs are in the folder `runs` beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controlplane.errors import UsageError
from controlplane.improving.candidates.candidate_id import Texts, id_of
from controlplane.improving.candidates.candidate_journals import (
    CandidateJournals,
    mean_score,
    mean_tokens,
)
from controlplane.improving.loop_file import LoopFile
from controlplane.improving.loop_lines import LoopEnded, LoopLine, LoopOpened, Proposed
from controlplane.journal.journal_files import LOOP_FILE
from controlplane.journal.totals.trial_summary import TrialSummary


class LoopRecord:
    """The record of a loop, and the results of the candidates that have played.

    A candidate is a set of texts, such as changed prompts. The record has the plan, the proposals, and
    the end; the results are in the journals of the candidates' runs.
    """

    def __init__(self, folder: Path) -> None:
        """Read the record in a loop's folder, if there is one.

        Raises `UsageError` if a line lacks the user's mark (a signature), or if it is the
        record of another loop.
        """
        self.folder = folder
        self.journals = CandidateJournals(folder / "runs")
        self.proposals: list[Proposed] = []
        self.end: LoopEnded | None = None
        self._plan: LoopOpened | None = None
        self._file = LoopFile(folder / LOOP_FILE)
        for line in self._file.read():
            self._apply(line)
        if self._plan is not None and self._plan.loop != folder.name:
            msg = (
                f"{self._file.path} is the record of another loop, {self._plan.loop}; "
                "start another loop"
            )
            raise UsageError(msg)

    def _apply(self, line: LoopLine) -> None:
        """Update the attributes with one line of the record."""
        match line:
            case LoopOpened():
                self._plan = line
            case Proposed():
                self.proposals.append(line)
            case LoopEnded():
                self.end = line

    @property
    def plan(self) -> LoopOpened:
        """The plan, which is the first line of the record."""
        assert self._plan is not None
        return self._plan

    @contextmanager
    def writing(self, plan: LoopOpened | None) -> Iterator[None]:
        """Open the record for writing in the block. For a new loop, first write its `plan`.

        Raises `UsageError` if another process is writing the record.
        """
        with self._file.writing(create=plan is not None):
            if plan is not None:
                self.append(plan)
            yield

    def append(self, line: LoopLine) -> None:
        """Write one line, and flush it to the disk. Only works in a block of `writing`."""
        self._file.append(line)
        self._apply(line)

    @property
    def candidates(self) -> dict[str, Texts]:
        """The texts of each candidate by its id, the original first."""
        texts_by_id: dict[str, Texts] = {id_of(self.plan.texts): self.plan.texts}
        for proposal in self.proposals:
            if proposal.texts:
                texts_by_id[id_of(proposal.texts)] = proposal.texts
        return texts_by_id

    def checked(self) -> dict[str, list[TrialSummary]]:
        """Return the results of candidates that have played the check worlds, original first."""
        results = {}
        for candidate in self.candidates:
            trials = self.journals.results(candidate, self.plan.check)
            if trials is not None:
                results[candidate] = trials
        return results

    def best(self) -> str:
        """Return the id of the candidate with the best mean score on the check worlds.

        Of candidates with equal scores, the one that used the fewest tokens is the best.
        """
        results = self.checked()
        return max(
            results,
            key=lambda name: (mean_score(results[name]), -mean_tokens(results[name])),
            default="the original",
        )
