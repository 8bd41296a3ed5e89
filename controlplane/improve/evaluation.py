"""The record of a loop, its candidates and their results: each seed is a run with a journal, never paid twice.

A candidate is a set of edited files in a read-only folder that is named by the hash of its files; only files that the
user listed are in it. A journal is named by candidate, seed and tasks. A finished one is read, an unfinished one goes
on.

The record holds the plan, and what was proposed, refused, kept and proved, one marked line each, on the disk before it
counts. A loop goes on from its record alone, so a line without the user's mark is never acted on.
"""

from __future__ import annotations

import difflib
import errno
import hashlib
import math
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from agent.loop import FOLDER, HOLES, PromptError, read_prompts
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import BudgetExhausted, NotAJournal, UsageError
from controlplane.journal.journal_file import LOOP_FILE, lines_of, open_to_read
from controlplane.journal.journal_lines import GENESIS, JournalWriter, checked_hash, own_key
from controlplane.journal.journal_reader import Journal, fields_of
from controlplane.journal.run_summary import RunSummary, TrialSummary, total
from controlplane.text_files import decode_text
from gates.rules import pin_modules
from sandbox.files import read_whole, write_whole

Instance: TypeAlias = tuple[int, str]
"""One task in the world of one seed."""
Worlds: TypeAlias = tuple[Instance, ...]


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class LoopOpened(_Line):
    """The loop's plan. Its three parts share no seed, or, where seeds change nothing, no task."""

    kind: Literal["loop_opened"] = "loop_opened"
    loop: str
    settings: dict[str, Any]
    sources: dict[str, str]
    origins: dict[str, str]
    """By the name of each edited file, the path that it was read from; empty if no file holds it yet."""
    texts: dict[str, str]
    """The original candidate: the text of each edited file."""
    proposer: str
    train: Worlds
    check: Worlds
    final: Worlds
    thrift: str
    """What breaks ties of the score: `tokens`, `cost` or `turns`; empty if nothing does."""
    proposals: int
    batch: int
    seed: int


class Proposed(_Line):
    """A proposal: the candidate that it makes of its parent, or why it was refused."""

    kind: Literal["proposed"] = "proposed"
    number: int
    parent: str
    candidate: str = ""
    """Its id; empty if it was refused."""
    refused: str = ""
    cost_usd: float | None = 0.0
    tokens: int = 0


class Kept(_Line):
    """A candidate that was better on its batch of train worlds, and was then played on all check worlds."""

    kind: Literal["kept"] = "kept"
    candidate: str
    parents: tuple[str, ...]
    """One for a proposal, two for a merge."""
    check_score: float


class LoopEnded(_Line):
    """The result: the best candidate and the original on the final worlds, played once."""

    kind: Literal["loop_ended"] = "loop_ended"
    best: str
    is_better: bool
    text: str


LoopLine: TypeAlias = Annotated[LoopOpened | Proposed | Kept | LoopEnded, Field(discriminator="kind")]
Kind = TypeVar("Kind", Proposed, Kept, LoopEnded)


class LoopRecord:
    """The lines of one loop, in its folder."""

    def __init__(self, folder: Path) -> None:
        """Read the lines, if there are any. Raises `UsageError` for a line that does not carry the user's mark."""
        self.folder = folder
        self.path = folder / LOOP_FILE
        self.lines: list[LoopLine] = []
        self._length, self._hash = 0, GENESIS
        self._writer: JournalWriter | None = None
        if not self.path.exists():
            return
        key, adapter = own_key(), TypeAdapter[LoopLine](LoopLine)
        with open_to_read(self.path) as file:
            for line in lines_of(file):
                if not line.endswith(b"\n"):  # cut off by a kill
                    break
                try:
                    self._hash, is_marked = checked_hash(line[:-1], self._hash, key)
                except ValueError:
                    is_marked = False
                if not is_marked:
                    number = len(self.lines) + 1
                    msg = f"{self.path}, line {number}: it does not carry your mark, so the loop cannot go on from it"
                    raise UsageError(msg)
                self._length += len(line)
                self.lines.append(adapter.validate_python(fields_of(line)))
        if not self.lines:
            msg = f"{self.path} holds no whole line of a loop; start another one"
            raise UsageError(msg)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the record for writing. Raises `UsageError` if another process holds it."""
        with JournalWriter(self.path, create=not self.lines) as self._writer:
            self._writer.continue_after(length=self._length, last_hash=self._hash)
            yield

    def append(self, line: LoopLine) -> None:
        """Write one line to the disk, in a block of `writing`."""
        assert self._writer is not None
        self._writer.write_body(line.model_dump_json().encode(), {})
        self._writer.sync()
        self.lines.append(line)

    def all(self, kind: type[Kind]) -> list[Kind]:
        """Return the lines of one kind, in order."""
        return [line for line in self.lines if isinstance(line, kind)]

    @property
    def plan(self) -> LoopOpened:
        """The first line."""
        assert isinstance(self.lines[0], LoopOpened)
        return self.lines[0]

    @property
    def end(self) -> LoopEnded | None:
        """The last line, if the loop has ended."""
        return next(iter(self.all(LoopEnded)), None)


class UnusableFile(Exception):
    """A file of a candidate is a link, is no file, or is too long."""


MOST_TEXT_BYTES: Final = 1_000_000
"""Bytes of a candidate's file: a proposer's reply has no other bound."""
Texts: TypeAlias = Mapping[str, str]
"""The text of each edited file, by its name in a candidate's folder."""
PROMPTS: Final = "prompts"
"""What `--edit` calls the prompt texts, and their folder in a candidate."""
HINTS: Final = "hints.txt"
PROMPTS_OF_SOLVERS: Final[Mapping[str, tuple[str, ...]]] = {
    "cited": ("system", "first_message"),
    "exoskeleton": ("exoskeleton", "classify", "parse", "review", "format"),
}
"""The prompt texts that a solver of ours sends in every trial, by its name."""
RUNS_AT_ONCE: Final = 8
"""Worlds that are played side by side; trials within them share the run's concurrency."""


def edited_files(edits: Sequence[str], settings: RunSettings) -> tuple[dict[str, str], dict[str, str]]:
    """Return origin and text of each file that `--edit` names: by default the solver's prompt texts and the hints.
    Raises `UsageError` for a name that is neither `prompts` nor a file or folder, and for what is not text."""
    files: dict[str, str] = {}
    for edit in edits or (PROMPTS, HINTS):
        path = Path(edit)
        is_named = bool(edits) and path.exists()  # what a folder happens to hold is not sent unless it is named
        if edit == PROMPTS and not is_named:
            folder = Path(settings.prompt) if settings.prompt else FOLDER
            names = PROMPTS_OF_SOLVERS.get(settings.agent, ())
            found = {f"{PROMPTS}/{name}.md": str(folder / f"{name}.md") for name in names}
        elif edit == HINTS and not is_named:
            found = {HINTS: settings.hints}
        elif path.is_dir():
            below = (each for each in sorted(path.rglob("*")) if each.is_file())
            found = {str(each.relative_to(path.parent)): str(each) for each in below}
        elif path.is_file():
            found = {HINTS if settings.hints and path.samefile(settings.hints) else path.name: str(path)}
        else:
            msg = f"--edit {edit}: there is no such file or folder; {PROMPTS} means the prompt texts"
            raise UsageError(msg)
        if both := sorted(files.keys() & found.keys()):
            msg = (
                f"--edit {edit}: {both[0]} would be two files of one name; rename one, or name a folder that holds both"
            )
            raise UsageError(msg)
        files |= found
    if not files:
        msg = f"--edit {PROMPTS}: the solver {settings.agent} sends no prompt texts of ours; name files"
        raise UsageError(msg)
    texts: dict[str, str] = {}
    for name, origin in files.items():
        try:
            texts[name] = plain_text(Path(origin).read_bytes()) if origin else ""
        except OSError as error:
            msg = f"--edit {origin}: it cannot be read as text ({error})"
            raise UsageError(msg) from error
    return files, texts


def plain_text(data: bytes) -> str:
    """Return the text of a user's file as candidates hold it: in Unicode, with line feeds alone."""
    return decode_text(data).text.replace("\r\n", "\n")


def id_of(texts: Texts) -> str:
    """Return the id of a candidate: a hash over the names and texts of its files, 12 hexadecimal digits."""
    parts = [part for name in sorted(texts) for part in (name, texts[name])]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def write_files(folder: Path, texts: Texts) -> None:
    """Write the files of a candidate below `folder`, which may be made."""
    for name, text in texts.items():
        write_whole(folder / name, text.encode(), folder)


def files_below(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the texts of these files below a folder, as far as they exist. Raises `UnusableFile`."""
    found = {}
    for name in names:
        try:
            content = read_whole(folder / name, folder, MOST_TEXT_BYTES)
        except OSError as error:
            msg = f"{name} {'is a link' if error.errno == errno.ELOOP else f'cannot be read: {error.strerror}'}"
            raise UnusableFile(msg) from error
        if content is not None:
            found[name] = content[0].decode("utf-8", "replace")
    return found


def diff_lines(before: Texts, after: Texts) -> Iterator[str]:
    """Yield the lines of a unified diff of two candidates, file by file."""
    for name in sorted(after):
        old, new = (texts[name].splitlines(keepends=True) for texts in (before, after))
        yield from (line.rstrip("\n") for line in difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", n=2))


@dataclass(frozen=True, slots=True)
class Played:
    """One instance as a candidate played it."""

    trial: TrialSummary
    journal: Path

    @property
    def score(self) -> float:
        """Its score; 0 if the trial has none: it broke, or ended without an answer."""
        return self.trial.own_score or 0.0

    def spending(self, objective: str) -> float:
        """Return what the trial took, by the objective's name."""
        spent = self.trial.spent
        taken = {"tokens": spent.tokens, "cost": spent.cost_usd or 0.0, "turns": self.trial.steps_done}
        return float(taken[objective])


def mean(values: Iterable[float]) -> float:
    """Return the mean; 0 for none."""
    return fmean(held) if (held := list(values)) else 0.0


class Evaluation:
    """The candidates of one loop, what they play, and what that costs."""

    def __init__(
        self,
        record: LoopRecord,
        settings: RunSettings,
        conduct_runs: Callable[[Sequence[tuple[RunSettings, tuple[str, ...], Path]]], None] = lambda runs: None,
    ) -> None:
        """`settings` hold the loop's limits. `conduct_runs` plays runs (settings, tasks, journal) side by side to their
        end; it raises `ControlPlaneError`."""
        self._record, self._settings, self._conduct_runs = record, settings, conduct_runs
        self._runs = record.folder / "runs"
        self._ended: dict[Path, RunSummary] = {}
        self._began = time.monotonic()
        self.folder_of(record.plan.texts)

    def folder_of(self, texts: Texts) -> Path:
        """Return the folder of a candidate, written whole or not at all; its files are never written again."""
        folder = self._record.folder / "candidates" / id_of(texts)
        if folder.exists():
            return folder
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        making = folder.with_name(f".{folder.name}-{os.getpid()}")
        shutil.rmtree(making, ignore_errors=True)
        if any(name.startswith(f"{PROMPTS}/") for name in texts):
            place = Path(self._settings.prompt) if self._settings.prompt else FOLDER
            texts = {f"{PROMPTS}/{name}.md": (place / f"{name}.md").read_text("utf-8") for name in HOLES} | dict(texts)
        write_files(making, texts)
        for name in texts:
            (making / name).chmod(0o444)
        making.rename(folder)
        return folder

    def texts_of(self, candidate: str) -> Texts:
        """Return the texts of a candidate by its id. Raises `UsageError` if it is missing or was changed."""
        texts: Texts = {}
        with suppress(UnusableFile):
            texts = files_below(self._record.folder / "candidates" / candidate, self._record.plan.texts)
        if id_of(texts) != candidate:
            msg = f"the candidate {candidate} is not in {self._record.folder}, or its files were changed"
            raise UsageError(msg)
        return texts

    def fault_of(self, texts: Texts) -> str:
        """Return why a candidate cannot be played, in one line; empty if it can."""
        folder = self.folder_of(texts)
        try:
            if (folder / PROMPTS).is_dir():
                read_prompts(folder / PROMPTS)
        except PromptError as error:
            shutil.rmtree(folder)
            return str(error).replace(f"{folder}{os.sep}", "")
        return ""

    def settings_of(self, texts: Texts) -> RunSettings:
        """Return the settings under which a candidate plays: they name its files in place of the originals."""
        folder = self.folder_of(texts)
        values = self._settings.model_dump()
        for name, origin in self._record.plan.origins.items():
            if name.startswith(f"{PROMPTS}/"):
                values["prompt"] = str(folder / PROMPTS)
            elif name == HINTS:
                values["hints"] = str(folder / HINTS) if texts[HINTS].strip() else ""
            else:
                for setting in ("model", "agent", "rule_sets", "benchmark", "hints", "prompt"):
                    values[setting] = values[setting].replace(origin, str(folder / name))
        return RunSettings.model_validate(values)

    def play(self, texts: Texts, instances: Sequence[Instance]) -> list[Played]:
        """Return the results of a candidate on these instances, in their order. Raises `BudgetExhausted` and
        `Interrupted`, with everything that was played kept in its journals."""
        worlds = self._worlds_of(texts, instances)
        left = {path: world for path, world in worlds.items() if not self._summary(path).submitted}
        for start in range(0, len(left), RUNS_AT_ONCE):
            self._conduct(texts, dict(list(left.items())[start : start + RUNS_AT_ONCE]))
        return self._results(instances, worlds)

    def finished(self, candidate: str) -> list[Played] | None:
        """Return the results on the check worlds of a candidate by its id; None if it has not played all of them."""
        check = self._record.plan.check
        worlds = self._worlds_of(self.texts_of(candidate), check)
        return self._results(check, worlds) if all(self._summary(path).submitted for path in worlds) else None

    def _worlds_of(self, texts: Texts, instances: Sequence[Instance]) -> dict[Path, tuple[int, list[str]]]:
        """Return the seed and the tasks of each run, by its journal."""
        tasks_of: dict[int, list[str]] = {}
        for seed, task in instances:
            tasks_of.setdefault(seed, []).append(task)
        worlds: dict[Path, tuple[int, list[str]]] = {}
        for seed, tasks in tasks_of.items():
            digest = hashlib.sha256("\0".join(sorted(tasks)).encode()).hexdigest()
            worlds[self._runs / f"{id_of(texts)}-s{seed}-{digest[:8]}.jsonl"] = (seed, tasks)
        return worlds

    def _summary(self, path: Path) -> RunSummary:
        """Return the totals of a journal, empty if it does not exist; those of a finished run are read once."""
        if path in self._ended or not path.exists():
            return self._ended.get(path, RunSummary())
        journal = Journal(path)
        with suppress(NotAJournal):  # cut off before its first line was whole
            journal.read()
            if journal.opened and not journal.is_own:
                path.rename(path.with_suffix(".foreign"))  # nobody's results are believed without the user's mark
                return RunSummary()
        if journal.summary.submitted:
            self._ended[path] = journal.summary
        return journal.summary

    def _results(self, instances: Sequence[Instance], worlds: Mapping[Path, tuple[int, list[str]]]) -> list[Played]:
        played = {
            (seed, trial.task_id or trial.trial_id): Played(trial, path)
            for path, (seed, _) in worlds.items()
            for trial in self._summary(path).trials.values()
        }
        return [played[instance] for instance in instances]

    def _conduct(self, texts: Texts, worlds: Mapping[Path, tuple[int, list[str]]]) -> None:
        own, folder = self.settings_of(texts), self.folder_of(texts)
        pin_modules({Path(name).parts[0].removesuffix(".py") for name in texts if name.endswith(".py")}, folder)
        at_once = max(own.concurrency // len(worlds), 1)
        shared = {"concurrency": at_once, "limit": None, "repeats": 1, "runs_dir": str(self._runs)}
        shares = {name: left / (1 if name == "run_time" else len(worlds)) for name, left in self.left().items()}
        if "max_tokens_run" in shares:
            shares["max_tokens_run"] = int(shares["max_tokens_run"])
        if any(share <= 0 for share in shares.values()):
            msg = "the loop has spent its limits"
            raise BudgetExhausted(msg)
        runs = []
        for path, (seed, tasks) in worlds.items():
            spent = self._summary(path).spent  # The limits of a run that goes on count its earlier part.
            earlier = {"run_cost": spent.known_usd, "max_tokens_run": spent.tokens, "run_time": 0}
            caps = {name: share + earlier[name] for name, share in shares.items()}
            values = own.model_dump() | shared | caps | {"seed": seed, "name": f"candidate {id_of(texts)}, seed {seed}"}
            runs.append((RunSettings.model_validate(values), tuple(tasks), path))
        self._conduct_runs(runs)

    def spent(self) -> tuple[float | None, int]:
        """Return cost and tokens of all runs and proposals so far; a cost of None is unknown."""
        played = total(self._summary(path).spent for path in self._runs.glob("*.jsonl"))
        proposals = self._record.all(Proposed)
        priced = [cost for cost in (played.cost_usd, *(line.cost_usd for line in proposals)) if cost is not None]
        cost = math.fsum(priced) if len(priced) == 1 + len(proposals) else None
        return cost, played.tokens + sum(line.tokens for line in proposals)

    def left(self, kept_back: float = 0.0) -> dict[str, float]:
        """Return what is left of each limit, by its setting, if a share of what was spent so far is kept back. Raises
        `BudgetExhausted` if the cost is limited and unknown."""
        cost, tokens = self.spent()
        if self._settings.run_cost is not None and cost is None:
            msg = "the price of a reply is unknown, so --run-cost cannot be kept; give the model's --prices"
            raise BudgetExhausted(msg)
        spent = {"run_cost": cost or 0.0, "max_tokens_run": tokens, "run_time": time.monotonic() - self._began}
        limits = {name: getattr(self._settings, name) for name in spent}
        return {name: limit - spent[name] * (1 + kept_back) for name, limit in limits.items() if limit is not None}
