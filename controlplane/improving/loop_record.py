"""The record of a loop: its plan, its proposals and its result, as hash-chained lines with the
user's mark.

A line is on the disk before it counts. The journals of the candidates' runs lie beside it.
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
from controlplane.journal.journal_lines import GENESIS, JournalWriter, checked_hash, own_key
from controlplane.journal.journal_reader import Journal, fields_of
from controlplane.journal.run_summary import RunSummary, Spent, TrialSummary, total

Instance: TypeAlias = tuple[int, str]
"""The number of a world, and the task in it."""
Texts: TypeAlias = Mapping[str, str]
"""The text of each edited file, by its name in a candidate's folder."""
ID_DIGITS: Final = 12
"""Hexadecimal digits of a candidate's id."""


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class LoopOpened(_Line):
    """The loop's plan. Training, check and final parts use different seeds, or different tasks if
    the benchmark ignores seeds."""

    kind: Literal["loop_opened"] = "loop_opened"
    loop: str
    """The loop's id, which is the name of its folder."""
    settings: dict[str, Any]
    sources: dict[str, str]
    origins: dict[str, str]
    """By the name of each edited file, the path that it was read from; empty if no file holds it
    yet."""
    texts: dict[str, str]
    """The original candidate: the text of each edited file."""
    proposer: str
    train: tuple[Instance, ...]
    check: tuple[Instance, ...]
    final: tuple[Instance, ...]
    proposals: int
    batch: int
    seed: int


class Proposed(_Line):
    """A proposal: the candidate that it makes of its parent, or why it was refused."""

    kind: Literal["proposed"] = "proposed"
    parent: str = ""
    """The id of the candidate that it changes."""
    texts: dict[str, str] = {}
    """The text of each edited file; empty if the proposal was refused."""
    refused: str = ""
    cost_usd: float | None = 0.0
    tokens: int = 0


class LoopEnded(_Line):
    """The result: the best candidate and the original on the final worlds, played once."""

    kind: Literal["loop_ended"] = "loop_ended"
    best: str
    is_better: bool
    text: str


LoopLine: TypeAlias = Annotated[LoopOpened | Proposed | LoopEnded, Field(discriminator="kind")]
LINE: Final = TypeAdapter[LoopLine](LoopLine)


def id_of(texts: Texts) -> str:
    """Return the id of a candidate: a hash over the names and texts of its files."""
    parts = []
    for name in sorted(texts):
        parts += [name, texts[name]]
    data = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:ID_DIGITS]


def mean_score(trials: Iterable[TrialSummary]) -> float:
    """Return the mean score; a trial without one broke, or ended without an answer, and counts
    0."""
    return fmean(trial.own_score or 0.0 for trial in trials)


def mean_tokens(trials: Iterable[TrialSummary]) -> float:
    """Return the mean number of tokens of a trial, requests and replies."""
    return fmean(trial.spent.tokens for trial in trials)


class LoopRecord:
    """What a loop has planned, proposed, played and found, and what it has spent."""

    plan: LoopOpened

    def __init__(self, folder: Path) -> None:
        """Read the record in a loop's folder, if there is one.

        Raises `UsageError` for a line that does not carry the user's mark, and for the record of
        another loop.
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
        """Read the lines of the record, each of which carries the hash of the one before and a
        mark.

        Raises `UsageError`.
        """
        number = 0
        try:
            with open_to_read(self.path) as file:
                for line in lines_of(file):
                    if not line.endswith(b"\n"):
                        break  # a kill cut off the last line
                    number += 1
                    self._last_hash, is_marked = checked_hash(line[:-1], self._last_hash, own_key())
                    fields = fields_of(line) if is_marked else None
                    self._apply(LINE.validate_python(fields))
                    self._length += len(line)
            plan = self.plan  # raises without a whole line
        except (ValueError, AttributeError) as error:
            msg = (
                f"{self.path}, line {number}: it does not carry your mark, or another version of "
                "the program wrote it; start another loop"
            )
            raise UsageError(msg) from error
        if plan.loop != self.folder.name:
            msg = f"{self.path} is the record of another loop, {plan.loop}; start another loop"
            raise UsageError(msg)

    def _apply(self, line: LoopLine) -> None:
        """Take over what one line of the record says."""
        match line:
            case LoopOpened():
                self.plan = line
            case Proposed():
                self.proposals.append(line)
            case LoopEnded():
                self.end = line

    @contextmanager
    def writing(self, plan: LoopOpened | None) -> Iterator[None]:
        """Hold the record for writing, which begins with the `plan` of a new loop. Raises
        `UsageError` if another process holds it."""
        with JournalWriter(self.path, create=plan is not None) as writer:
            writer.continue_after(length=self._length, last_hash=self._last_hash)
            self._writer = writer
            if plan is not None:
                self.append(plan)
            yield
        self._writer = None

    def append(self, line: LoopLine) -> None:
        """Write one line to the disk, in a block of `writing`."""
        assert self._writer is not None
        self._writer.write_body(line.model_dump_json().encode(), {})
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
        """Return the journal of the run in which a candidate plays these instances. Its name says
        who plays what, so that nothing is paid twice."""
        digest = hashlib.sha256(repr(sorted(set(instances))).encode()).hexdigest()
        return self.folder / "runs" / f"{candidate}-{digest[:8]}.jsonl"

    def summary_of(self, journal_path: Path) -> RunSummary:
        """Return the totals of a journal, empty if it does not exist; those of a finished run are
        read once.

        Raises `UsageError` for a journal without the user's mark: nobody else's results count.
        """
        if journal_path in self._ended_runs:
            return self._ended_runs[journal_path]
        if not journal_path.exists():
            return RunSummary()
        with Journal(journal_path) as journal:
            with suppress(NotAJournal):  # cut off before its first line was whole
                journal.read()
            if journal.whole_lines and not journal.is_own:
                msg = (
                    f"{journal_path}: {journal.fault_of_marks}, so the loop cannot go on from it; "
                    "delete it to play it again"
                )
                raise UsageError(msg)
        if journal.summary.submitted:
            self._ended_runs[journal_path] = journal.summary
        return journal.summary

    def finished(self, candidate: str, instances: Sequence[Instance]) -> list[TrialSummary] | None:
        """Return the results of a candidate on these instances, in their order; None if it has not
        played all."""
        summary = self.summary_of(self.journal_of(candidate, instances))
        if not summary.submitted:
            return None
        trials = {(trial.number, trial.task_id): trial for trial in summary.trials.values()}
        return [trials[instance] for instance in instances]

    def checked(self) -> dict[str, list[TrialSummary]]:
        """Return the results on the check worlds of each candidate that has played them, the
        original first."""
        results = {}
        for candidate in self.candidates:
            trials = self.finished(candidate, self.plan.check)
            if trials is not None:
                results[candidate] = trials
        return results

    def best(self) -> str:
        """Return the candidate with the best mean on the check worlds; among equals the one of
        fewest tokens."""
        results = self.checked()
        return max(
            results,
            key=lambda name: (mean_score(results[name]), -mean_tokens(results[name])),
            default="the original",
        )

    def spent_by_runs(self) -> Spent:
        """Return what all runs of candidates have spent."""
        return total(self.summary_of(path).spent for path in self.folder.glob("runs/*.jsonl"))
