"""The candidates of an improvement loop: their texts, files and runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final, TypeAlias

from controlplane.agent.loop import FOLDER
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import NotAJournal, UsageError
from controlplane.improving.loop_lines import Instance
from controlplane.journal.journal_reader import Journal
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.trial_summary import Spent, TrialSummary, total
from controlplane.text_files import decode_text

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


class CandidateJournals:
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
    """Return the mean score, in which a trial without a score counts as 0."""
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
            texts[name] = _text_of(path)
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


def _text_of(path: str) -> str:
    """Return the text of a file that the user wants to have edited. Raises `UsageError`."""
    try:
        return plain_text(Path(path).read_bytes())
    except OSError as error:
        msg = f"--edit {path}: it cannot be read as text ({error.strerror})"
        raise UsageError(msg) from error


def plain_text(data: bytes) -> str:
    """Return the text of a user's file as candidates have it: its lines end with line feeds."""
    return decode_text(data).text.replace("\r\n", "\n")
