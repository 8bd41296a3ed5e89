"""The record of a loop, its candidates and their results, which are journals of runs: nothing is paid twice.

The record holds the plan, the proposals with their texts, and the result, one marked line each, on the disk before it
counts; a line without the user's mark is never acted on. A candidate plays from a read-only folder that is named by the
hash of its files. What it plays at a time is one run, whose journal is named by candidate and tasks: a finished one is
read, an unfinished one goes on.
"""

from __future__ import annotations

import hashlib
import math
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from agent.loop import FOLDER, HOLES
from controlplane.benchmark import TaskTry
from controlplane.configuration.named_modules import pin_modules
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import BudgetExhausted, NotAJournal, UsageError
from controlplane.journal.journal_file import LOOP_FILE, lines_of, open_to_read
from controlplane.journal.journal_lines import GENESIS, JournalWriter, checked_hash, own_key
from controlplane.journal.journal_reader import Journal, fields_of
from controlplane.journal.run_summary import RunSummary, TrialSummary, total
from controlplane.text_files import decode_text
from sandbox.files import write_whole

Instance: TypeAlias = tuple[int, str]
"""The number of a world, and the task in it."""
Worlds: TypeAlias = tuple[Instance, ...]
Texts: TypeAlias = Mapping[str, str]
"""The text of each edited file, by its name in a candidate's folder."""


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
_LINE: Final = TypeAdapter[LoopLine](LoopLine)


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
        with open_to_read(self.path) as file:
            for number, line in enumerate(lines_of(file), start=1):
                if not line.endswith(b"\n"):  # cut off by a kill
                    break
                is_marked = False
                with suppress(ValueError):
                    self._hash, is_marked = checked_hash(line[:-1], self._hash, own_key())
                if not is_marked:
                    msg = f"{self.path}, line {number}: it does not carry your mark, so the loop cannot go on from it"
                    raise UsageError(msg)
                self._length += len(line)
                try:
                    self.lines.append(_LINE.validate_python(fields_of(line)))
                except ValidationError:
                    msg = f"{self.path}, line {number}: it is of another version of the program; start another loop"
                    raise UsageError(msg) from None
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

    @property
    def plan(self) -> LoopOpened:
        """The first line."""
        assert isinstance(self.lines[0], LoopOpened)
        return self.lines[0]

    @property
    def proposals(self) -> list[Proposed]:
        """All proposals, in order."""
        return [line for line in self.lines if isinstance(line, Proposed)]

    @property
    def end(self) -> LoopEnded | None:
        """The last line, if the loop has ended."""
        return self.lines[-1] if isinstance(self.lines[-1], LoopEnded) else None

    @property
    def candidates(self) -> dict[str, Texts]:
        """The texts of each candidate by its id, the original first."""
        return {id_of(texts): texts for texts in (self.plan.texts, *(line.texts for line in self.proposals)) if texts}


PROMPTS: Final = "prompts"
"""What `--edit` calls the prompt texts, and their folder in a candidate."""
HINTS: Final = "hints.txt"
PROMPTS_OF_SOLVERS: Final[Mapping[str, tuple[str, ...]]] = {
    "cited": ("system", "first_message"),
    "exoskeleton": ("exoskeleton", "classify", "review", "format"),
}
"""The prompt texts that a solver of ours sends in every trial, by its name."""


def edited_files(edits: Sequence[str], settings: RunSettings) -> tuple[dict[str, str], dict[str, str]]:
    """Return origin and text of each file that `--edit` names: by default the solver's prompt texts and the hints.
    Raises `UsageError` for a name that is neither `prompts` nor a file or folder, and for what is not text."""
    files: dict[str, str] = {}
    for edit in edits or (PROMPTS, HINTS):
        path = Path(edit)
        is_named = bool(edits) and path.exists()  # what a folder happens to hold is not sent unless it is named
        if edit == PROMPTS and not is_named:
            names = PROMPTS_OF_SOLVERS.get(settings.agent, ())
            found = {f"{PROMPTS}/{name}.md": str(_prompt_folder(settings) / f"{name}.md") for name in names}
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
    try:
        return files, {name: plain_text(Path(origin).read_bytes()) if origin else "" for name, origin in files.items()}
    except OSError as error:
        msg = f"--edit {error.filename}: it cannot be read as text ({error.strerror})"
        raise UsageError(msg) from error


def _prompt_folder(settings: RunSettings) -> Path:
    return Path(settings.prompt) if settings.prompt else FOLDER


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


def mean_score(trials: Iterable[TrialSummary]) -> float:
    """Return the mean score; a trial without one broke, or ended without an answer, and counts 0."""
    return fmean(trial.own_score or 0.0 for trial in trials)


def mean_tokens(trials: Iterable[TrialSummary]) -> float:
    return fmean(trial.spent.tokens for trial in trials)


class Evaluation:
    """The candidates of one loop, what they play, and what that costs."""

    def __init__(
        self,
        record: LoopRecord,
        settings: RunSettings | None = None,
        conduct_run: Callable[[RunSettings, tuple[TaskTry, ...], Path], None] = lambda settings, tries, path: None,
    ) -> None:
        """`settings` hold the loop's limits; by default those of its beginning. `conduct_run` plays tries to their end,
        with these settings and into this journal; it raises `ControlPlaneError`."""
        self._record, self._conduct_run = record, conduct_run
        self._settings = settings or RunSettings.model_validate(record.plan.settings)
        self._runs = record.folder / "runs"
        self._ended: dict[Path, RunSummary] = {}
        self._began = time.monotonic()

    def folder_of(self, texts: Texts) -> Path:
        """Return the folder of a candidate, written whole or not at all; its files are never written again."""
        folder = self._record.folder / "candidates" / id_of(texts)
        if folder.exists():
            return folder
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        making = folder.with_name(f".{folder.name}-{os.getpid()}")
        shutil.rmtree(making, ignore_errors=True)
        if any(name.startswith(f"{PROMPTS}/") for name in texts):
            place = _prompt_folder(self._settings)
            texts = {f"{PROMPTS}/{name}.md": (place / f"{name}.md").read_text("utf-8") for name in HOLES} | dict(texts)
        write_files(making, texts)
        for name in texts:
            (making / name).chmod(0o444)
        making.rename(folder)
        return folder

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

    def play(self, texts: Texts, instances: Sequence[Instance]) -> list[TrialSummary]:
        """Return the results of a candidate on these instances, in their order. Raises `BudgetExhausted` and
        `Interrupted`, with everything that was played kept in its journal."""
        if self.finished(id_of(texts), instances) is None:
            self._conduct(texts, instances)
        played = self.finished(id_of(texts), instances)
        assert played is not None
        return played

    def finished(self, candidate: str, instances: Sequence[Instance]) -> list[TrialSummary] | None:
        """Return the results of a candidate on these instances, in their order; None if it has not played all."""
        summary = self._summary(self.journal_of(candidate, instances))
        played = {(trial.number, trial.task_id): trial for trial in summary.trials.values()}
        return [played[instance] for instance in instances] if summary.submitted else None

    def kept(self) -> dict[str, list[TrialSummary]]:
        """Return the results on the check worlds of each candidate that has played them, the original first."""
        found = {name: self.finished(name, self._record.plan.check) for name in self._record.candidates}
        return {name: played for name, played in found.items() if played is not None}

    def best(self) -> str:
        """Return the candidate with the best mean on the check worlds; among equals the one of fewest tokens."""
        kept = self.kept()
        return max(kept, key=lambda name: (mean_score(kept[name]), -mean_tokens(kept[name])), default="the original")

    def journal_of(self, candidate: str, instances: Sequence[Instance]) -> Path:
        digest = hashlib.sha256(repr(sorted(set(instances))).encode()).hexdigest()
        return self._runs / f"{candidate}-{digest[:8]}.jsonl"

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

    def _conduct(self, texts: Texts, instances: Sequence[Instance]) -> None:
        own, folder, left = self.settings_of(texts), self.folder_of(texts), self.left()
        pin_modules({Path(name).parts[0].removesuffix(".py") for name in texts if name.endswith(".py")}, folder)
        if any(each <= 0 for each in left.values()):
            msg = "the loop has spent its limits"
            raise BudgetExhausted(msg)
        path = self.journal_of(folder.name, instances)
        spent = self._summary(path).spent  # The limits of a run that goes on count its earlier part.
        earlier = {"run_cost": spent.known_usd, "max_tokens_run": spent.tokens, "run_time": 0}
        caps = {name: each + earlier[name] for name, each in left.items()}
        shared = {"limit": None, "repeats": 1, "runs_dir": str(self._runs), "name": f"candidate {folder.name}"}
        settings = RunSettings.model_validate(own.model_dump() | shared | caps)
        self._conduct_run(settings, tuple(TaskTry(task, number) for number, task in dict.fromkeys(instances)), path)

    def spent(self) -> tuple[float | None, int]:
        """Return cost and tokens of all runs and proposals so far; a cost of None is unknown."""
        played = total(self._summary(path).spent for path in self._runs.glob("*.jsonl"))
        proposals = self._record.proposals
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
