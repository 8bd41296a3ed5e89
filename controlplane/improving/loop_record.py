"""The record of a loop of `improve`: its lines, its candidates, and what its best one changes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from controlplane.agent.loop import FOLDER
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import NotAJournal, UsageError, as_usage_error
from controlplane.file_changes import FileChange
from controlplane.journal.journal_files import LOOP_FILE, lines_of, open_to_read
from controlplane.journal.journal_lines import GENESIS, checked_hash
from controlplane.journal.journal_reader import Journal
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.line_parser import fields_of
from controlplane.journal.state_files import own_key
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.trial_summary import Spent, TrialSummary, total
from controlplane.program_invocation import invocation
from controlplane.text_files import decode_text
from controlplane.view.answer.file_diff import file_diff

# The lines of an improvement loop's record: its plan, its proposals and its result.

Instance: TypeAlias = tuple[int, str]
"""The number of a world, and the task to play in it."""


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


_LoopLine: TypeAlias = Annotated[
    LoopOpened | Proposed | LoopEnded, Field(discriminator="kind")
]
_LINE: Final = TypeAdapter[_LoopLine](_LoopLine)


# The texts of a candidate, and the id that names it everywhere.
#
# A candidate is a version of the files that a loop may change, such as
# `{"hints.txt": "Look twice.\n"}`.

Texts: TypeAlias = Mapping[str, str]
"""The text of each edited file, by its name in a candidate's folder."""
_ID_DIGITS: Final = 12
"""Hexadecimal digits of a candidate's id."""


def id_of(texts: Texts) -> str:
    """Return the id of a candidate: a hash of the names and texts of its files."""
    parts = []
    for name in sorted(texts):
        parts += [name, texts[name]]
    data = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:_ID_DIGITS]


# The runs in which the candidates of a loop have played, and their results.
#
# Each candidate plays some instances, such as `(17, "loans.3")` for a task in the world of this
# number, in a run of its own. The run's journal is the memory of a loop: a loop that was killed
# finds there which results it has already.


class _CandidateJournals:
    """The journals of the candidates' runs, which are in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ended_runs: dict[Path, RunSummary] = {}
        """The totals of runs that have ended, so that their journals are read once."""

    def path_of(self, candidate: str, instances: Sequence[Instance]) -> Path:
        """Return the path of the journal in which a candidate plays these instances.

        The name is a hash of the instances. So a resumed loop finds the run, and does not
        play it again.
        """
        digest = hashlib.sha256(repr(sorted(set(instances))).encode()).hexdigest()
        return self._folder / f"{candidate}-{digest[:8]}.jsonl"

    def results(
        self, candidate: str, instances: Sequence[Instance]
    ) -> list[TrialSummary] | None:
        """Return a candidate's results on these instances, in order; None if some are missing."""
        summary = self.summary_of(self.path_of(candidate, instances))
        # A run is submitted to its benchmark as its last step, when all its trials have ended.
        if not summary.submitted:
            return None
        trial_of_instance = {}
        for trial in summary.trials.values():
            trial_of_instance[trial.number, trial.task_id] = trial
        return [trial_of_instance[instance] for instance in instances]

    def spent(self) -> Spent:
        """Return the total spending of all runs."""
        return total(
            self.summary_of(path).spent for path in self._folder.glob("*.jsonl")
        )

    def summary_of(self, path: Path) -> RunSummary:
        """Return the totals of a journal; empty ones if it does not exist.

        Raises `UsageError` for a journal that this user has not written: a candidate is chosen
        by its results, which somebody else could have made up.
        """
        if path in self._ended_runs:
            return self._ended_runs[path]
        if not path.exists():
            return RunSummary()
        summary = _summary_in(path)
        if summary.submitted:
            self._ended_runs[path] = summary
        return summary


def _summary_in(path: Path) -> RunSummary:
    """Read a journal, and return its totals. Raises `UsageError` if it is not the user's own."""
    with Journal(path) as journal:
        # The first line is incomplete if the process was killed at the beginning.
        with suppress(NotAJournal):
            journal.read()
        is_foreign = journal.whole_lines > 0 and not journal.is_own
        if is_foreign:
            msg = (
                f"{path}: {journal.fault_of_marks}, so the loop cannot go on from it; "
                "delete it to play it again"
            )
            raise UsageError(msg)
        return journal.summary


def loop_score(trial: TrialSummary) -> float:
    """Return a trial's score. Without one it counts as 0: it broke, or its grader did."""
    score = trial.counted_score
    return trial.counts_without_score if score is None else score


def mean_score(trials: Iterable[TrialSummary]) -> float:
    """Return the mean score over the trials of some worlds; one without a score counts as 0."""
    return fmean(loop_score(trial) for trial in trials)


def without_score_text(trials: Iterable[TrialSummary]) -> str:
    """Return `2 without a score counted as 0`; empty if all trials have scores."""
    count = sum(trial.own_score is None for trial in trials)
    return f"{count:,} without a score counted as 0" if count else ""


def mean_tokens(trials: Iterable[TrialSummary]) -> float:
    """Return the mean number of tokens per trial, requests and replies together."""
    return fmean(trial.spent.tokens for trial in trials)


# The files that an improvement loop may change, by the names that its user gives.
#
# `--edit prompts --edit notes/hints.txt --edit my_solver/` lets the loop try new versions of the
# solver's prompt texts, of the user's hints for the model, and of the files of a folder. Each file
# has a short name in the loop:
#
# | `--edit` | names in the loop |
# |---|---|
# | `prompts` | `prompts/system.md`, `prompts/first_message.md` |
# | the file of the setting `hints`, or `hints.txt` if there is none | `hints.txt` |
# | any other file, such as `texts/tone.md` | `tone.md` |
# | a folder, such as `my/solver` | `solver/plan.py`, `solver/parts/steps.py` |

PROMPTS: Final = "prompts"
"""What `--edit` calls the prompt texts, and their folder in a candidate."""
HINTS: Final = "hints.txt"
"""What `--edit` calls the user's hints for the model, and their file in a candidate."""
_PROMPTS_OF_SOLVERS: Final[Mapping[str, tuple[str, ...]]] = {
    "cited": ("system", "first_message"),
    "exoskeleton": ("exoskeleton", "classify", "check_draft", "format"),
}
"""The prompt texts that each of the product's own solvers sends in every trial."""


@dataclass(frozen=True, slots=True)
class _EditedFiles:
    """The files that a loop may change."""

    origins: Mapping[str, str]
    """The absolute path of each file, by its name in a candidate, such as `prompts/system.md`.

    The path is empty if there is no such file yet.
    """
    texts: Mapping[str, str]
    """The text of each file, by the same names."""


def edited_files(edits: Sequence[str], settings: RunSettings) -> _EditedFiles:
    """Return the files that `--edit` names: by default the solver's prompt texts and the hints.

    The user may have no file of hints yet. Then it has no origin and an empty text, which a
    candidate may fill. Raises `UsageError` for a name that is neither `prompts` nor a file or
    folder, for two files of one name, and for a file that cannot be read.
    """
    if edits:
        paths = _paths_of_edits(edits, settings)
    else:
        # A proposer may be a model of another company. So it gets no further files of the working
        # folder unless the user names them.
        paths = _prompt_files(settings) | {HINTS: settings.hints}

    origins = {}
    texts = {}
    for name, path in paths.items():
        if path:
            origins[name] = str(Path(path).absolute())
            with as_usage_error(f"--edit {path}: it cannot be read", OSError):
                texts[name] = _plain_text(Path(path).read_bytes())
        else:
            origins[name] = ""
            texts[name] = ""
    return _EditedFiles(origins, texts)


def _paths_of_edits(edits: Sequence[str], settings: RunSettings) -> dict[str, str]:
    """Return the paths of all files that the user names, by their names in the loop.

    Raises `UsageError` if a name means no file, or if two files would have the same name.
    """
    all_paths: dict[str, str] = {}
    for edit in edits:
        paths = _paths_of_edit(edit, settings)
        if not paths:
            msg = (
                f"--edit {edit}: there is no such file or folder; {PROMPTS} means prompt texts "
                "of a solver of ours"
            )
            raise UsageError(msg)
        shared_names = sorted(all_paths.keys() & paths.keys())
        if shared_names:
            msg = (
                f"--edit {edit}: {shared_names[0]} would be two files of one name; rename one, "
                "or name a folder with both"
            )
            raise UsageError(msg)
        all_paths |= paths
    return all_paths


def _paths_of_edit(edit: str, settings: RunSettings) -> dict[str, str]:
    """Return the paths of the files that one `--edit` names, by their names in the loop.

    Returns nothing if there is no such file or folder.
    """
    path = Path(edit)
    # The user's own file or folder `prompts` goes before the meaning of that word here.
    if not path.exists():
        if edit == PROMPTS:
            return _prompt_files(settings)
        if edit == HINTS:
            return {HINTS: settings.hints}
        return {}

    # The file of hints may have any name, but there is only one such file in the loop.
    is_hints = bool(settings.hints) and path.is_file() and path.samefile(settings.hints)
    if is_hints:
        return {HINTS: edit}
    if path.is_file():
        return {path.name: edit}
    paths = {}
    for file in sorted(path.rglob("*")):
        if file.is_file():
            paths[str(file.relative_to(path.parent))] = str(file)
    return paths


def _prompt_files(settings: RunSettings) -> dict[str, str]:
    """Return the files of the solver's prompt texts; none for a solver of the user's own."""
    folder = Path(settings.prompt or FOLDER)
    files = {}
    for name in _PROMPTS_OF_SOLVERS.get(settings.agent, ()):
        files[f"{PROMPTS}/{name}.md"] = str(folder / f"{name}.md")
    return files


def _plain_text(data: bytes) -> str:
    """Return the text of a user's file as candidates have it: its lines end with line feeds."""
    return decode_text(data).text.replace("\r\n", "\n")


# The record of an improvement loop: a file with its plan, its proposals and its result.
#
# The journals of the candidates' runs are in the folder `runs` beside it. Like a journal, the file is
# a chain of lines with hashes. Each line has a mark, which is a signature with the user's key, and is
# flushed to the disk before the loop goes on.


class LoopRecord:
    """The record of a loop, and the results of the candidates that have played.

    A candidate is a set of texts, such as changed prompts. The record has the plan, the proposals, and
    the end; the results are in the journals of the candidates' runs. It is read first, and then
    `append` adds lines in a `writing` block.
    """

    def __init__(self, folder: Path) -> None:
        """Read the record in a loop's folder, if there is one.

        Raises `UsageError` if a line lacks the user's mark (a signature) or was changed, if the plan
        is missing, or if it is the record of another loop.
        """
        self.folder = folder
        self.journals = _CandidateJournals(folder / "runs")
        self.proposals: list[Proposed] = []
        self.end: LoopEnded | None = None
        self._plan: LoopOpened | None = None
        self._path = folder / LOOP_FILE
        self._length = 0
        """The number of bytes of the complete lines."""
        self._last_hash = GENESIS
        self._writer: JournalWriter | None = None
        if self._path.exists():
            # Read the lines of the file. Raises `UsageError`.
            number = 0
            try:
                with open_to_read(self._path) as file:
                    for line in lines_of(file):
                        if not line.endswith(b"\n"):
                            break  # The process was killed while it wrote the last line.
                        number += 1
                        self._last_hash, is_marked = checked_hash(
                            line[:-1], self._last_hash, own_key()
                        )
                        if not is_marked:
                            msg = "the line does not carry this user's mark"
                            raise ValueError(msg)
                        self._length += len(line)
                        self._apply(_LINE.validate_python(fields_of(line)))
                if self._plan is None:
                    msg = "no complete line has the loop's plan"
                    raise ValueError(msg)
            except ValueError as error:
                msg = (
                    f"{self._path}, line {number}: it does not carry your mark, or another version of "
                    "the program wrote it; start another loop"
                )
                raise UsageError(msg) from error
        if self._plan is not None and self._plan.loop != folder.name:
            msg = (
                f"{self._path} is the record of another loop, {self._plan.loop}; "
                "start another loop"
            )
            raise UsageError(msg)

    def _apply(self, line: _LoopLine) -> None:
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
        with JournalWriter(self._path, create=plan is not None) as writer:
            writer.continue_after(length=self._length, last_hash=self._last_hash)
            self._writer = writer
            if plan is not None:
                self.append(plan)
            yield
        self._writer = None

    def append(self, line: _LoopLine) -> None:
        """Write one line, and flush it to the disk. Only works in a block of `writing`."""
        assert self._writer is not None
        # A journal stores long texts apart from its lines. A record keeps them in the line.
        self._writer.write_body(line.model_dump_json().encode(), texts={})
        self._writer.sync()
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


# Takes the result of an improvement loop: the best candidate's texts, as changes of files.


def best_changes(record: LoopRecord, folder: Path | None) -> dict[str, FileChange]:
    """Return the changes that write the best candidate's files, by the files' names.

    They replace the originals or, if a `folder` is given, are written below it.

    Raises `FileChangedSince` if an original has changed since the loop began, or the
    folder has another file of that name. Raises `UsageError` if the loop has not ended,
    or there is no original to replace.
    """
    plan = record.plan
    if record.end is None:
        resume = invocation("resume", plan.loop)
        msg = f"the loop {plan.loop} has not ended; continue with: {resume}"
        raise UsageError(msg)

    changes = {}
    for name, text in record.candidates[record.end.best].items():
        if text == plan.texts[name]:
            continue
        place = None if folder is None else folder / name
        if place is None:
            origin = plan.origins[name]
            # The product's own prompts are in `FOLDER`.
            is_products = name.startswith(f"{PROMPTS}/") and Path(
                origin
            ).is_relative_to(FOLDER)
            if not origin or is_products:
                target = HINTS if name == HINTS else "a folder for --prompt"
                msg = f"{name} has no file of yours to write to: name {target} with --to DIR"
                raise UsageError(msg)
            place = Path(origin)
        change = FileChange.of(place.parent, place.name, text)
        if change.old_bytes is not None:
            text_now = _plain_text(change.old_bytes)
            if folder is None:
                _check_original(place, text_now, plan.texts[name])
            elif text_now != text:
                msg = f"{place} is another file; write elsewhere with --to"
                raise FileChangedSince(msg)
        changes[name] = change
    return changes


class FileChangedSince(UsageError):
    """A file that the best candidate would replace has changed since the loop began."""

    diff: str = ""
    """The file's changes since the loop began; empty if the loop never read the file."""


def _check_original(place: Path, text_now: str, text_then: str) -> None:
    """Raise `FileChangedSince` if a file no longer has the text that the loop read.

    Whoever has edited the file meanwhile would lose that change. The error shows it as a diff.
    """
    if text_now == text_then:
        return
    error = FileChangedSince(
        f"{place} has changed since the loop began; write elsewhere with --to"
    )
    change_since = FileChange(
        place,
        root=place.parent,
        old_bytes=text_then.encode(),
        mode=0,
        new_text=text_now,
    )
    error.diff = file_diff(str(place), change_since).text
    raise error
