"""The record of an improvement loop: a file with its plan, its proposals and its result.

The journals of the candidates' runs are in the folder `runs` beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controlplane.errors import UsageError
from controlplane.improving.candidates import (
    CandidateJournals,
    Texts,
    id_of,
    mean_score,
    mean_tokens,
)
from controlplane.improving.loop_lines import (
    LINE,
    LoopEnded,
    LoopLine,
    LoopOpened,
    Proposed,
)
from controlplane.journal.journal_files import LOOP_FILE, lines_of, open_to_read
from controlplane.journal.journal_lines import GENESIS, checked_hash
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.line_parser import fields_of
from controlplane.journal.state_files import own_key
from controlplane.journal.totals.trial_summary import TrialSummary

# The file of an improvement loop's record.
#
# Like a journal, it is a chain of lines with hashes. Each line has a mark, which is a
# signature with the user's key, and is flushed to the disk before the loop goes on.


class _LoopFile:
    """The file of a loop's record. It is read first, and then `append` adds lines in a `writing` block.

    Its lines are chained and marked like those of a journal, so only this user's own are accepted.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._length = 0
        """The number of bytes of the complete lines."""
        self._last_hash = GENESIS
        self._writer: JournalWriter | None = None

    def read(self) -> list[LoopLine]:
        """Return the lines of the file; none if there is no file.

        Raises `UsageError` if a line lacks the user's mark or was changed, or if the plan
        is missing.
        """
        if not self.path.exists():
            return []
        lines: list[LoopLine] = []
        number = 0
        try:
            with open_to_read(self.path) as file:
                for line in lines_of(file):
                    if not line.endswith(b"\n"):
                        break  # The process was killed while it wrote the last line.
                    number += 1
                    lines.append(self._checked(line))
            if not any(isinstance(line, LoopOpened) for line in lines):
                msg = "no complete line has the loop's plan"
                raise ValueError(msg)
        except ValueError as error:
            msg = (
                f"{self.path}, line {number}: it does not carry your mark, or another version of "
                "the program wrote it; start another loop"
            )
            raise UsageError(msg) from error
        return lines

    def _checked(self, line: bytes) -> LoopLine:
        """Return the content of the next line. Raises `ValueError` if the line was changed."""
        self._last_hash, is_marked = checked_hash(line[:-1], self._last_hash, own_key())
        if not is_marked:
            msg = "the line does not carry this user's mark"
            raise ValueError(msg)
        self._length += len(line)
        return LINE.validate_python(fields_of(line))

    @contextmanager
    def writing(self, *, create: bool) -> Iterator[None]:
        """Open the file for writing in the block.

        Raises `UsageError` if another process is writing it.
        """
        with JournalWriter(self.path, create=create) as writer:
            writer.continue_after(length=self._length, last_hash=self._last_hash)
            self._writer = writer
            yield
        self._writer = None

    def append(self, line: LoopLine) -> None:
        """Write one line, and flush it to the disk. Only works in a block of `writing`."""
        assert self._writer is not None
        # A journal stores long texts apart from its lines. A record keeps them in the line.
        self._writer.write_body(line.model_dump_json().encode(), texts={})
        self._writer.sync()


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
        self._file = _LoopFile(folder / LOOP_FILE)
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
