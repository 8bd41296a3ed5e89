"""Candidates of a loop, and their results: each seed is a run with a journal of its own, which is never paid twice.

A candidate is a set of edited files in an immutable folder that is named by the hash of its files; only files that the
user listed are in it. A journal is named by candidate, seed and tasks. A finished one is read, an unfinished one goes
on.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final, TypeAlias

from agent.loop import FOLDER, HOLES, PromptError, read_prompts
from controlplane.configuration.run_settings import AUTOMATIC, THREADS, RunSettings
from controlplane.errors import UsageError
from controlplane.journal.journal_content import Journal, open_journal
from controlplane.journal.journal_index import glance_at
from controlplane.journal.run_summary import Spent, TrialSummary, total
from gates.rules import pin_modules
from sandbox.files import write_whole

Texts: TypeAlias = Mapping[str, str]
"""The text of each edited file, by its name in a candidate's folder."""

PROMPTS: Final = "prompts"
"""What `--edit` calls the prompt texts, and their folder in a candidate."""
HINTS: Final = "hints.txt"
PROMPTS_OF_SOLVERS: Final[Mapping[str, tuple[str, ...]]] = {
    "cited": ("system", "turn_one"),
    "exoskeleton": ("exoskeleton", "classify", "parse", "review", "format"),
}
"""The prompt texts that a solver of ours sends in every trial, by its name."""
MAX_FILES: Final = 50
MAX_CHARS: Final = 100_000
"""Characters of one edited file."""
NAMING: Final = ("model", "agent", "rules", "benchmark", "hints", "prompt")
"""Settings that may name an edited file."""


@dataclass(frozen=True, slots=True)
class EditedFile:
    """One file that the loop may change."""

    name: str
    """Its name in a candidate's folder."""
    origin: str
    """The path from which it was read, and to which `apply` writes; empty for a text that no file holds yet."""


@dataclass(frozen=True, slots=True)
class EditedFiles:
    """All files that the loop may change, with their texts at its start."""

    files: tuple[EditedFile, ...]
    texts: Texts


def edited_files(edits: Sequence[str], settings: RunSettings) -> EditedFiles:
    """Return the files that `--edit` names: by default the prompt texts of the solver and the hints.

    Raises `UsageError` for a name that is neither `prompts` nor a file or folder, and for what is not text.
    """
    files: dict[str, str] = {}
    for edit in edits or (PROMPTS, HINTS):
        path = Path(edit)
        if edit == PROMPTS and not path.exists():
            folder = Path(settings.prompt) if settings.prompt else FOLDER
            for name in PROMPTS_OF_SOLVERS.get(settings.agent, ()):
                files[f"{PROMPTS}/{name}.md"] = str(folder / f"{name}.md")
        elif edit == HINTS and not path.exists():
            files[HINTS] = settings.hints
        elif path.is_dir():
            base = path.parent
            files |= {str(each.relative_to(base)): str(each) for each in sorted(path.rglob("*")) if each.is_file()}
        elif path.is_file():
            files[HINTS if settings.hints and path.samefile(settings.hints) else path.name] = str(path)
        else:
            msg = f"--edit {edit}: there is no such file or folder; {PROMPTS} means the prompt texts"
            raise UsageError(msg)
    if not files:
        msg = (
            f"nothing can be edited: the solver {settings.agent} sends no prompt texts of ours; name files with --edit"
        )
        raise UsageError(msg)
    if len(files) > MAX_FILES:
        msg = f"--edit names {len(files)} files; a loop edits at most {MAX_FILES}"
        raise UsageError(msg)
    texts = {name: _text_of(origin) if origin else "" for name, origin in files.items()}
    return EditedFiles(tuple(EditedFile(name, origin) for name, origin in files.items()), texts)


def _text_of(origin: str) -> str:
    try:
        text = Path(origin).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"--edit {origin}: it cannot be read as text ({error})"
        raise UsageError(msg) from error
    if len(text) > MAX_CHARS:
        msg = f"--edit {origin}: it has more than {MAX_CHARS:,} characters"
        raise UsageError(msg)
    return text


def id_of(texts: Texts) -> str:
    """Return the id of a candidate: a hash over the names and texts of its files, 12 hexadecimal digits."""
    parts = [part for name in sorted(texts) for part in (name, texts[name])]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def module_names(texts: Texts) -> set[str]:
    """Return the modules and packages among a candidate's files, as settings name them."""
    return {Path(name).parts[0].removesuffix(".py") for name in texts if name.endswith(".py")}


class CandidateStore:
    """The candidates of one loop, each in a folder below `root`."""

    def __init__(self, root: Path, prompts: Path) -> None:
        """`prompts` is the folder of the prompt texts that a candidate does not edit."""
        self._root = root
        self._prompts = prompts

    def folder_of(self, texts: Texts) -> Path:
        """Return the folder of a candidate, written whole or not at all; its files are never written again."""
        folder = self._root / id_of(texts)
        if folder.exists():
            return folder
        making = self._root / f".{folder.name}-{os.getpid()}"
        shutil.rmtree(making, ignore_errors=True)
        if any(name.startswith(f"{PROMPTS}/") for name in texts):
            (making / PROMPTS).mkdir(parents=True)
            for name in HOLES:
                shutil.copyfile(self._prompts / f"{name}.md", making / PROMPTS / f"{name}.md")
        write_files(making, texts)
        for path in making.rglob("*"):
            if path.is_file():
                path.chmod(0o444)
        making.rename(folder)
        return folder

    def fault_of(self, texts: Texts) -> str:
        """Return why a candidate cannot be played, in one line; empty if it can."""
        if any(len(text) > MAX_CHARS for text in texts.values()):
            return f"a file has more than {MAX_CHARS:,} characters"
        if not any(name.startswith(f"{PROMPTS}/") for name in texts):
            return ""
        folder = self.folder_of(texts)
        try:
            read_prompts(folder / PROMPTS)
        except PromptError as error:
            shutil.rmtree(folder)
            return str(error).replace(f"{folder}{os.sep}", "")
        return ""

    def settings_of(self, texts: Texts, settings: RunSettings, files: Iterable[EditedFile]) -> RunSettings:
        """Return the settings under which this candidate plays: they name its files in place of the originals."""
        folder = self.folder_of(texts)
        changes: dict[str, str] = {}
        if any(name.startswith(f"{PROMPTS}/") for name in texts):
            changes["prompt"] = str(folder / PROMPTS)
        if HINTS in texts:
            changes["hints"] = str(folder / HINTS) if texts[HINTS].strip() else ""
        for file in files:
            if file.name == HINTS or file.name.startswith(f"{PROMPTS}/") or not file.origin:
                continue
            place = str(folder / file.name)
            for setting in NAMING:
                value = changes.get(setting, getattr(settings, setting))
                if file.origin in value and setting not in changes:
                    changes[setting] = value.replace(file.origin, place)
        return RunSettings.model_validate(settings.model_dump() | changes)


def write_files(folder: Path, texts: Texts) -> None:
    """Write the files of a candidate below `folder`, which may be made."""
    for name, text in texts.items():
        write_whole(folder / name, text.encode(), folder)


def files_below(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the texts of these files below a folder; a file that is missing or is no text keeps out."""
    texts: dict[str, str] = {}
    for name in names:
        place = folder / name
        if place.is_file() and not place.is_symlink():
            try:
                texts[name] = place.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
    return texts


def diff_lines(before: Texts, after: Texts) -> Iterator[str]:
    """Yield the lines of a unified diff of two candidates, file by file."""
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, ""), after.get(name, "")
        if old != new:
            yield from (
                line.rstrip("\n")
                for line in difflib.unified_diff(
                    old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{name}", f"b/{name}", n=2
                )
            )


RUNS_AT_ONCE: Final = 8
"""Worlds that are played side by side; trials within them share the run's concurrency."""


@dataclass(frozen=True, slots=True, order=True)
class Instance:
    """One task in the world of one seed."""

    seed: int
    task: str


@dataclass(frozen=True, slots=True)
class Played:
    """One instance as a candidate played it."""

    instance: Instance
    score: float
    """0 if the trial has no score: it broke, or ended without an answer."""
    tokens: int
    cost_usd: float | None
    steps: int
    journal: Path
    trial_id: str


@dataclass(frozen=True, slots=True)
class WorldRun:
    """One run to play: the tasks of one seed, under a candidate's settings."""

    settings: RunSettings
    tasks: tuple[str, ...]
    journal: Path
    """Where its journal is, or will be."""


class Evaluation:
    """Plays the candidates of one loop."""

    def __init__(
        self,
        folder: Path,
        settings: RunSettings,
        store: CandidateStore,
        files: Sequence[EditedFile],
        conduct_worlds: Callable[[Sequence[WorldRun]], None],
    ) -> None:
        """`conduct_worlds` plays the runs side by side to their end; it raises `ControlPlaneError`."""
        self._folder = folder
        self._settings = settings
        self.store = store
        self._files = files
        self._conduct_worlds = conduct_worlds
        self.caps: Callable[[int], dict[str, float | int | None]] = lambda runs: {}
        """Returns what is left of the loop's limits for each of so many runs, as settings of a run."""

    def play(self, texts: Texts, instances: Iterable[Instance]) -> list[Played]:
        """Return the results of a candidate on these instances, in their order.

        Raises `BudgetExhausted` and `Interrupted`, with everything that was played kept in its journals.
        """
        wanted = list(instances)
        tasks_of, journals = self._worlds_of(texts, wanted)
        left = [seed for seed, path in journals.items() if not _is_finished(path)]
        for start in range(0, len(left), RUNS_AT_ONCE):
            chunk = left[start : start + RUNS_AT_ONCE]
            self._conduct(texts, [(seed, tasks_of[seed], journals[seed]) for seed in chunk])
        return _results(wanted, journals)

    def finished(self, texts: Texts, instances: Sequence[Instance]) -> list[Played] | None:
        """Return the results of a candidate that has played all of these instances; None if it has not."""
        _, journals = self._worlds_of(texts, instances)
        return _results(instances, journals) if all(map(_is_finished, journals.values())) else None

    def spent(self) -> Spent:
        """Return the sums over the replies of all evaluations so far."""
        return total(glance_at(path).spent for path in self._folder.glob("*.jsonl"))

    def _worlds_of(self, texts: Texts, instances: Iterable[Instance]) -> tuple[dict[int, list[str]], dict[int, Path]]:
        """Return the tasks of each seed, and the journal of each seed's run."""
        tasks_of: dict[int, list[str]] = {}
        for instance in instances:
            tasks_of.setdefault(instance.seed, []).append(instance.task)
        return tasks_of, {seed: self._journal_of(texts, seed, tasks) for seed, tasks in tasks_of.items()}

    def _journal_of(self, texts: Texts, seed: int, tasks: Sequence[str]) -> Path:
        digest = hashlib.sha256("\0".join(sorted(tasks)).encode()).hexdigest()[:8]
        return self._folder / f"{id_of(texts)}-s{seed}-{digest}.jsonl"

    def _conduct(self, texts: Texts, worlds: Sequence[tuple[int, Sequence[str], Path]]) -> None:
        own = self.store.settings_of(texts, self._settings, self._files)
        pin_modules(module_names(texts), self.store.folder_of(texts))
        shared = {
            "concurrency": max(self._settings.concurrency // len(worlds), 1),
            "workers": THREADS if self._settings.workers == AUTOMATIC else self._settings.workers,
            "limit": None,
            "repeats": 1,
            "runs_dir": str(self._folder),
            **self.caps(len(worlds)),
        }
        self._conduct_worlds(
            [
                WorldRun(
                    RunSettings.model_validate(
                        own.model_dump() | shared | {"seed": seed, "name": f"candidate {id_of(texts)}, seed {seed}"}
                    ),
                    tuple(tasks),
                    path,
                )
                for seed, tasks, path in worlds
            ]
        )


def _is_finished(path: Path) -> bool:
    return path.exists() and glance_at(path).submitted


def _results(instances: Sequence[Instance], journals: Mapping[int, Path]) -> list[Played]:
    played: dict[Instance, Played] = {}
    for seed, path in journals.items():
        for trial in glance_at(path, at_trials=True).trials.values():
            one = _played(Instance(seed, trial.task_id or trial.trial_id), trial, path)
            played[one.instance] = one
    return [played[instance] for instance in instances]


def _played(instance: Instance, trial: TrialSummary, path: Path) -> Played:
    score = trial.own_score if trial.own_score is not None else 0.0
    return Played(instance, score, trial.tokens, trial.cost_usd, trial.steps_done, path, trial.trial_id)


def journals_of(played: Iterable[Played]) -> Iterator[tuple[Journal, list[Played]]]:
    """Yield each journal with the results that it holds; it is open until the next one."""
    by_journal: dict[Path, list[Played]] = {}
    for one in played:
        by_journal.setdefault(one.journal, []).append(one)
    for path, results in by_journal.items():
        with open_journal(path) as journal:
            yield journal, results


def mean_score(played: Sequence[Played]) -> float:
    """Return the mean score of results; 0 for none."""
    return fmean(one.score for one in played) if played else 0.0


def mean_tokens(played: Sequence[Played]) -> float:
    """Return the mean tokens of a trial; 0 for none."""
    return fmean(one.tokens for one in played) if played else 0.0
