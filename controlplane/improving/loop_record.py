"""The record of an improvement loop: a file with its plan, its proposals and its result.

Like a journal, it is a chain of lines with hashes. Each line has a mark, which is a
signature with the user's key, and is flushed to the disk before the loop goes on. The
journals of the candidates' runs are below the same folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from controlplane.errors import NotAJournal, UsageError
from controlplane.journal.journal_files import LOOP_FILE, lines_of, open_to_read
from controlplane.journal.journal_lines import GENESIS, checked_hash
from controlplane.journal.journal_reader import Journal
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.line_parser import fields_of
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.spending_totals import Spent, total
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.journal.user_key import own_key

Instance: TypeAlias = tuple[int, str]
"""The number of a world, and the task to play in it."""
Texts: TypeAlias = Mapping[str, str]
"""The text of each edited file, by its name in a candidate's folder."""
ID_DIGITS: Final = 12
"""Hexadecimal digits of a candidate's id."""


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class LoopOpened(_Line):
    """The plan of a loop. Its training, check and final parts share no world."""

    kind: Literal["loop_opened"] = "loop_opened"
    loop: str
    """The loop's id, which is the name of its folder."""
    settings: dict[str, Any]
    """The settings of the candidates' runs."""
    sources: dict[str, str]
    """Where each setting comes from, such as `flag`, by its name."""
    origins: dict[str, str]
    """The path of each edited file, by its name in a candidate; empty if there is none yet."""
    texts: dict[str, str]
    """The original candidate: the text of each edited file."""
    proposer: str
    """A model's name, or `command:` and a program."""
    train: tuple[Instance, ...]
    """What candidates play for the proposer to see."""
    check: tuple[Instance, ...]
    """What decides which candidate is the best."""
    final: tuple[Instance, ...]
    """What the best candidate and the original play at the end, to prove the result."""
    proposals: int
    """The largest number of proposals."""
    batch: int
    """The number of trials that a proposer sees before it proposes a change."""
    seed: int


class Proposed(_Line):
    """A proposal: the texts of a new candidate, or the reason why the proposal was refused."""

    kind: Literal["proposed"] = "proposed"
    parent: str = ""
    """The id of the candidate that the proposal changes."""
    texts: dict[str, str] = {}
    """The text of each edited file; empty if the proposal was refused."""
    refused: str = ""
    """Why the proposal was refused; empty if it was not."""
    cost_usd: float | None = 0.0
    tokens: int = 0


class LoopEnded(_Line):
    """The result: the comparison of the best candidate with the original on the final worlds."""

    kind: Literal["loop_ended"] = "loop_ended"
    best: str
    """The id of the best candidate."""
    is_better: bool
    """True if it is better than the original beyond chance."""
    text: str
    """The comparison in one line, for the user."""


LoopLine: TypeAlias = Annotated[
    LoopOpened | Proposed | LoopEnded, Field(discriminator="kind")
]
LINE: Final = TypeAdapter[LoopLine](LoopLine)


def id_of(texts: Texts) -> str:
    """Return the id of a candidate: a hash of the names and texts of its files."""
    parts = []
    for name in sorted(texts):
        parts += [name, texts[name]]
    data = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:ID_DIGITS]


def mean_score(trials: Iterable[TrialSummary]) -> float:
    """Return the mean score. A trial without a score counts as 0: it broke, or has no answer."""
    return fmean(trial.own_score or 0.0 for trial in trials)


def mean_tokens(trials: Iterable[TrialSummary]) -> float:
    """Return the mean number of tokens per trial, requests and replies together."""
    return fmean(trial.spent.tokens for trial in trials)


class LoopRecord:
    """The record of a loop, and the results of the runs that it has played.

    It first reads the existing record, if any. `append` adds a line in a block of `writing`.
    """

    plan: LoopOpened
    """Missing until the first line has been read or written."""

    def __init__(self, folder: Path) -> None:
        """Read the record in a loop's folder, if there is one.

        Raises `UsageError` if a line lacks the user's mark (a signature), or if it is the
        record of another loop.
        """
        self.folder = folder
        self.path = folder / LOOP_FILE
        self.proposals: list[Proposed] = []
        self.end: LoopEnded | None = None
        self._length = 0
        self._last_hash = GENESIS
        self._ended_runs: dict[Path, RunSummary] = {}
        self._writer: JournalWriter | None = None
        if self.path.exists():
            self._read()

    def _read(self) -> None:
        """Read the record, and check its chain of hashes and its marks. Raises `UsageError`."""
        number = 0
        try:
            with open_to_read(self.path) as file:
                for line in lines_of(file):
                    if not line.endswith(b"\n"):
                        break  # The process was killed while it wrote the last line.
                    number += 1
                    self._read_line(line)
            if not hasattr(self, "plan"):  # The first line should have set it.
                msg = "no complete line has the loop's plan"
                raise ValueError(msg)
        except ValueError as error:
            msg = (
                f"{self.path}, line {number}: it does not carry your mark, or another version of "
                "the program wrote it; start another loop"
            )
            raise UsageError(msg) from error
        if self.plan.loop != self.folder.name:
            msg = f"{self.path} is the record of another loop, {self.plan.loop}; start another loop"
            raise UsageError(msg)

    def _read_line(self, line: bytes) -> None:
        """Check the next line, and apply it. Raises `ValueError` if the line was changed."""
        self._last_hash, is_marked = checked_hash(line[:-1], self._last_hash, own_key())
        if not is_marked:
            msg = "the line does not carry this user's mark"
            raise ValueError(msg)
        self._apply(LINE.validate_python(fields_of(line)))
        self._length += len(line)

    def _apply(self, line: LoopLine) -> None:
        """Update the attributes with one line of the record."""
        match line:
            case LoopOpened():
                self.plan = line
            case Proposed():
                self.proposals.append(line)
            case LoopEnded():
                self.end = line

    @contextmanager
    def writing(self, plan: LoopOpened | None) -> Iterator[None]:
        """Open the record for writing in the block. For a new loop, first write its `plan`.

        Raises `UsageError` if another process is writing the record.
        """
        with JournalWriter(self.path, create=plan is not None) as writer:
            writer.continue_after(length=self._length, last_hash=self._last_hash)
            self._writer = writer
            if plan is not None:
                self.append(plan)
            yield
        self._writer = None

    def append(self, line: LoopLine) -> None:
        """Write one line, and flush it to the disk. Only works in a block of `writing`."""
        assert self._writer is not None
        # A journal stores long texts apart from its lines. A record keeps them in the line.
        self._writer.write_body(line.model_dump_json().encode(), texts={})
        self._writer.sync()
        self._apply(line)

    # What was played

    @property
    def candidates(self) -> dict[str, Texts]:
        """The texts of each candidate by its id, the original first."""
        texts_by_id: dict[str, Texts] = {id_of(self.plan.texts): self.plan.texts}
        for proposal in self.proposals:
            if proposal.texts:
                texts_by_id[id_of(proposal.texts)] = proposal.texts
        return texts_by_id

    def journal_of(self, candidate: str, instances: Sequence[Instance]) -> Path:
        """Return the path of the journal in which a candidate plays these instances.

        The name is a hash of the instances. So a resumed loop finds the run, and does not
        play it again.
        """
        digest = hashlib.sha256(repr(sorted(set(instances))).encode()).hexdigest()
        return self.folder / "runs" / f"{candidate}-{digest[:8]}.jsonl"

    def summary_of(self, journal_path: Path) -> RunSummary:
        """Return the totals of a journal; empty ones if it does not exist.

        The totals of finished runs are cached. Raises `UsageError` for a journal that
        this user has not written.
        """
        if journal_path in self._ended_runs:
            return self._ended_runs[journal_path]
        if not journal_path.exists():
            return RunSummary()
        with Journal(journal_path) as journal:
            # The first line is incomplete if the process was killed at the beginning.
            with suppress(NotAJournal):
                journal.read()
            is_foreign = journal.whole_lines > 0 and not journal.is_own
            if is_foreign:
                msg = (
                    f"{journal_path}: {journal.fault_of_marks}, so the loop cannot go on from it; "
                    "delete it to play it again"
                )
                raise UsageError(msg)
            summary = journal.summary
        if summary.submitted:
            self._ended_runs[journal_path] = summary
        return summary

    def finished(
        self, candidate: str, instances: Sequence[Instance]
    ) -> list[TrialSummary] | None:
        """Return a candidate's results on these instances, in order; None if some are missing."""
        summary = self.summary_of(self.journal_of(candidate, instances))
        if not summary.submitted:
            return None
        trials = {
            (trial.number, trial.task_id): trial for trial in summary.trials.values()
        }
        return [trials[instance] for instance in instances]

    def checked(self) -> dict[str, list[TrialSummary]]:
        """Return the results of candidates that have played the check worlds, original first."""
        results = {}
        for candidate in self.candidates:
            trials = self.finished(candidate, self.plan.check)
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

    def spent_by_runs(self) -> Spent:
        """Return the total spending of all candidates' runs."""
        return total(
            self.summary_of(path).spent for path in self.folder.glob("runs/*.jsonl")
        )
