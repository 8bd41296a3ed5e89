"""A loop: plays, proposes on traces of train worlds, keeps what is better on check worlds, proves it on final ones.

`gepa` selects parents by their Pareto front over check worlds, and samples batches; the loop goes on from its record. A
proposer is a model that reflects on traces of failures, or a program that edits the candidate's files. It sees train
worlds alone, and a proposal must not carry instance data: the ids, names and amounts in their records. Nothing is paid
twice: what a candidate plays at a time is one run, whose journal is named by candidate and tasks.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Annotated, Any, Final, Literal, TypeAlias, cast

import re2
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from controlplane.agent.loop import FOLDER, HOLES, read_text
from controlplane.agent.model import Message, Model, ModelError
from controlplane.benchmark import TaskTry
from controlplane.configuration.named_modules import pin_modules
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import (
    BudgetExhausted,
    ControlPlaneError,
    NotAJournal,
    Unreachable,
    UsageError,
    as_usage_error,
    extra_module,
)
from controlplane.gates.evidence import parse
from controlplane.gates.submission import encodable
from controlplane.journal.journal_lines import (
    GENESIS,
    LOOP_FILE,
    JournalWriter,
    checked_hash,
    lines_of,
    open_to_read,
    own_key,
)
from controlplane.journal.journal_reader import Journal, RecordedTrial, fields_of, open_journal
from controlplane.journal.run_summary import RunSummary, TrialSummary, total
from controlplane.report.run_pages import style_of_page, template
from controlplane.report.run_report import Report
from controlplane.run_comparison import LEAST_CHANGED
from controlplane.sandbox.files import read_whole, write_whole
from controlplane.sandbox.interface import bounds
from controlplane.score_statistics import Interval, bootstrap_interval
from controlplane.text_files import FileChange, decode_text
from controlplane.view.file_diff import file_diff

Instance: TypeAlias = tuple[int, str]
"""The number of a world, and the task in it."""
Worlds: TypeAlias = tuple[Instance, ...]
Texts: TypeAlias = Mapping[str, str]
"""The text of each edited file, by its name in a candidate's folder."""

PROMPTS: Final = "prompts"
"""What `--edit` calls the prompt texts, and their folder in a candidate."""
HINTS: Final = "hints.txt"
PROMPTS_OF_SOLVERS: Final[Mapping[str, tuple[str, ...]]] = {
    "cited": ("system", "first_message"),
    "exoskeleton": ("exoskeleton", "classify", "check_draft", "format"),
}
"""The prompt texts that a solver of ours sends in every trial, by its name."""
COMMAND: Final = "command:"
LIMITS: Final = ("run_cost", "run_time", "max_tokens_run")


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


def edited_files(
    edits: Sequence[str], settings: RunSettings
) -> tuple[dict[str, str], dict[str, str]]:
    """Return origin and text of each file that `--edit` names: by default the solver's prompt texts and the hints.
    Raises `UsageError` for a name that is neither `prompts` nor a file or folder, and for what is not text."""
    names = PROMPTS_OF_SOLVERS.get(settings.agent, ())
    own = {
        PROMPTS: {
            f"{PROMPTS}/{name}.md": str(Path(settings.prompt or FOLDER, f"{name}.md"))
            for name in names
        },
        HINTS: {HINTS: settings.hints},
    }
    files: dict[str, str] = {}
    for edit in edits or own:
        path = Path(edit)
        # What a folder happens to hold is not sent unless it is named.
        if edit in own and not (edits and path.exists()):
            found = own[edit]
        elif settings.hints and path.is_file() and path.samefile(settings.hints):
            found = {HINTS: edit}
        else:
            below = [each for each in (path, *sorted(path.rglob("*"))) if each.is_file()]
            found = {str(each.relative_to(path.parent)): str(each) for each in below}
        if edits and not found:
            msg = f"--edit {edit}: there is no such file or folder; {PROMPTS} means prompt texts of a solver of ours"
            raise UsageError(msg)
        if both := sorted(files.keys() & found.keys()):
            msg = f"--edit {edit}: {both[0]} would be two files of one name; rename one, or name a folder with both"
            raise UsageError(msg)
        files |= found
    try:
        return files, {
            name: plain_text(Path(origin).read_bytes()) if origin else ""
            for name, origin in files.items()
        }
    except OSError as error:
        msg = f"--edit {error.filename}: it cannot be read as text ({error.strerror})"
        raise UsageError(msg) from error


def plain_text(data: bytes) -> str:
    """Return the text of a user's file as candidates hold it: in Unicode, with line feeds alone."""
    return decode_text(data).text.replace("\r\n", "\n")


def id_of(texts: Texts) -> str:
    """Return the id of a candidate: a hash over the names and texts of its files, 12 hexadecimal digits."""
    parts = [part for name in sorted(texts) for part in (name, texts[name])]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def mean_score(trials: Iterable[TrialSummary]) -> float:
    """Return the mean score; a trial without one broke, or ended without an answer, and counts 0."""
    return fmean(trial.own_score or 0.0 for trial in trials)


def mean_tokens(trials: Iterable[TrialSummary]) -> float:
    return fmean(trial.spent.tokens for trial in trials)


def _is_telling(value: str) -> bool:
    """Say whether a value identifies an instance: a name of several words, or one with digits: an id, an amount."""
    words = value.split(" ")
    if len(words) > 1:
        return all(
            len(word) > 1 and word[0].isupper() and word.replace("-", "").isalpha()
            for word in words
        )
    return len(value) > 2 and any(map(str.isdecimal, value))


def record_values(text: str, path: str) -> set[str]:
    """Return the ids, names and amounts in a record. Documents are not records, and have none."""
    return set(filter(_is_telling, (encodable(value) for _, value in parse(text, path))))


def added_values(values: set[str], before: Texts, after: Texts) -> list[str]:
    """Return those of `values` that a proposal added, in the order of the text."""
    old, new = (encodable("\n".join(texts.values())) for texts in (before, after))
    added = [value for value in values if value in new and value not in old]
    whole = [value for value in added if re2.search(rf"(?:^|\W){re2.escape(value)}(?:\W|$)", new)]
    return sorted(whole, key=new.index)


def trace_of(trial: RecordedTrial) -> str:
    """Return one trial as a proposer sees it, as Markdown: request, steps (of many, the first and the last), answer and
    the grader's lines, each part cut to a bound."""
    summary, steps = trial.summary, trial.steps
    parts = [("Request", summary.instruction)]
    half = bounds.SHOWN_STEPS // 2
    for step in [*steps[:half], *steps[max(len(steps) - half, half) :]]:
        parts += [
            (f"Step {step.step}", step.code),
            ("Printed", f"{step.output}\n{step.error}".rstrip("\n")),
        ]
        verdicts = (verdict for judged in step.verdicts for verdict in judged.verdicts)
        parts += [
            ("Sent back", f"{one.name}: {one.reason}") for one in verdicts if one.result == "reject"
        ]
    parts += [(f"Answer ({summary.outcome or 'none'})", summary.answer)]
    parts += [("Grader", line) for line in (*summary.details, summary.reason) if line]
    texts = (f"\n{title}:\n\n```text\n{_cut(part)}\n```\n" for title, part in parts)
    return f"## {summary.task_id}: score {summary.own_score or 0.0:.2f}\n" + "".join(texts)


def _cut(text: str) -> str:
    # Characters of one script, one output or one message in a trace.
    half = 1_500 // 2
    left = len(text) - 2 * half
    return f"{text[:half]}\n[… {left} characters …]\n{text[-half:]}" if left > 0 else text


Proposer: TypeAlias = Callable[[Texts, Sequence[str], Sequence[RecordedTrial], str], Proposed]
"""Returns new texts for some of the named files of a candidate, given its texts, its trials, the worst first, and why
the proposal before was refused, if it was. Raises `ControlPlaneError`."""


def ask_model(
    model: Model,
    texts: Texts,
    names: Sequence[str],
    trials: Sequence[RecordedTrial],
    complaint: str,
) -> Proposed:
    """Ask a model for the new text of the first of `names`; `gepa` names one file at a time."""
    name = names[0]
    traces = "\n".join(map(trace_of, trials[:4]))[:24_000]
    refused = f"\n\n# Your proposal before was refused\n\n{complaint}" if complaint else ""
    messages: list[Message] = [
        {"role": "system", "content": read_text(FOLDER / "improve.md")},
        {"role": "user", "content": f"# {name}\n\n{texts[name]}\n\n# Trials\n\n{traces}{refused}"},
    ]
    try:
        reply = model.complete(messages, "review")
    except ModelError as error:
        msg = f"the proposing model {model.name} cannot be asked: {error}"
        raise Unreachable(msg) from error
    tokens = reply.usage.prompt_tokens + reply.usage.completion_tokens
    found = {name: text_in(reply.text)} if reply.text.strip() else {}
    return Proposed(texts=found, cost_usd=reply.cost_usd, tokens=tokens)


def text_in(reply: str) -> str:
    """Return the text in a reply without the fence around it, ended by one line feed."""
    text = encodable(reply).replace("\r\n", "\n").strip()
    first, *lines = text.split("\n")
    if first.startswith("```") and lines[-1:] == ["```"]:
        text = "\n".join(lines[:-1])
    return text.strip("\n") + "\n"


def run_program(
    words: Sequence[str],
    ends_at: float,
    texts: Texts,
    names: Sequence[str],
    trials: Sequence[RecordedTrial],
    complaint: str,
) -> Proposed:
    """Start a program in a copy of the candidate's folder, far from the loop's folder and all results, with a report of
    the trials; return what it leaves in the named files. It ends with the loop, by `time.monotonic`."""
    with TemporaryDirectory(prefix="controlplane-") as temporary:
        place = Path(
            temporary, "loop", "proposal", "files"
        )  # nothing of anybody else is three folders above
        rows = [{"task": one.task_id, "score": one.score, "trace": trace_of(one)} for one in trials]
        refused = [f"The proposal before was refused: {complaint}\n"] if complaint else []
        report = {
            "report.md": "\n".join([*refused, *(str(row["trace"]) for row in rows)]),
            "report.json": json.dumps(rows, ensure_ascii=False),
        }
        for name, text in {
            **texts,
            **{f"failures/{name}": text for name, text in report.items()},
        }.items():
            write_whole(place / name, text.encode(), place)
        environment = {name: value for name, value in os.environ.items() if name != "OLDPWD"} | {
            "PWD": str(place)
        }
        # Standard output holds the loop's result, so the program's goes to standard error.
        options: dict[str, Any] = {
            "stdin": subprocess.DEVNULL,
            "stdout": 2,
            "start_new_session": True,
        }
        with as_usage_error("--with command", OSError):
            process = subprocess.Popen(words, cwd=place, env=environment, **options)
        try:
            code = process.wait(max(min(ends_at - time.monotonic(), bounds.LONGEST_PROGRAM_S), 0.0))
        except subprocess.TimeoutExpired:
            msg = f"{words[0]} was ended: the loop's time, or {bounds.LONGEST_PROGRAM_S:g} s, was over"
            raise BudgetExhausted(msg) from None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if code:
            msg = f"--with command: {words[0]} ended with {code}"
            raise ControlPlaneError(msg)
        try:
            left = {name: read_whole(place / name, place, bounds.MOST_TEXT_BYTES) for name in names}
        except OSError as error:
            return Proposed(
                refused=f"a file that it left is a link, or cannot be read: {error.strerror}"
            )
        return Proposed(
            texts={name: each[0].decode("utf-8", "replace") for name, each in left.items() if each}
        )


class Loop:
    """One loop: its folder, with the record, whose lines are on the disk before they count, and the journals of its
    candidates; at work, the adapter of `gepa`."""

    plan: LoopOpened
    settings: RunSettings
    """At work, those of the candidates' runs, with the loop's limits."""
    conduct_run: Callable[[RunSettings, tuple[TaskTry, ...], Path], None]
    """Plays tries to their end, with these settings and into this journal. Raises `ControlPlaneError`."""
    proposer: Proposer
    tell: Callable[[str], None]
    _writer: JournalWriter

    def __init__(self, folder: Path) -> None:
        """Read the lines, if there are any. Raises `UsageError` for a line that does not carry the user's mark."""
        self.folder = folder
        self.path = folder / LOOP_FILE
        self.proposals: list[Proposed] = []
        self.end: LoopEnded | None = None
        self._length, self._hash, number = 0, GENESIS, 0
        self._ended: dict[Path, RunSummary] = {}
        self._began = time.monotonic()
        self._values = set[str]()
        """The ids, names and amounts in records of the train worlds."""
        self._proposals = 0
        self._complaint = ""
        """Why the last proposal was refused."""
        self._failure: ControlPlaneError | None = None
        """The proposer's failure, which ends the search."""
        if not self.path.exists():
            return
        try:
            with open_to_read(self.path) as file:
                # A kill may cut off the last line.
                for line in takewhile(lambda line: line.endswith(b"\n"), lines_of(file)):
                    number += 1
                    self._hash, is_marked = checked_hash(line[:-1], self._hash, own_key())
                    self._add(_LINE.validate_python(fields_of(line) if is_marked else None))
                    self._length += len(line)
            self.plan  # noqa: B018 - raises without a whole line
        except (ValueError, AttributeError) as error:
            msg = (
                f"{self.path}, line {number}: it does not carry your mark, or another version of the program wrote it; "
                "start another loop"
            )
            raise UsageError(msg) from error

    def _add(self, line: LoopLine) -> None:
        match line:
            case LoopOpened():
                self.plan = line
            case Proposed():
                self.proposals.append(line)
            case LoopEnded():
                self.end = line

    @contextmanager
    def writing(self, plan: LoopOpened | None) -> Iterator[None]:
        """Hold the record for writing, which begins with the `plan` of a new loop. Raises `UsageError` if another
        process holds it."""
        with JournalWriter(self.path, create=plan is not None) as self._writer:
            self._writer.continue_after(length=self._length, last_hash=self._hash)
            if plan is not None:
                self.append(plan)
            yield

    def append(self, line: LoopLine) -> None:
        """Write one line to the disk, in a block of `writing`."""
        self._writer.write_body(line.model_dump_json().encode(), {})
        self._writer.sync()
        self._add(line)

    @property
    def candidates(self) -> dict[str, Texts]:
        """The texts of each candidate by its id, the original first."""
        return {
            id_of(texts): texts
            for texts in (self.plan.texts, *(line.texts for line in self.proposals))
            if texts
        }

    def journal_of(self, candidate: str, instances: Sequence[Instance]) -> Path:
        """Return the journal of the run in which a candidate plays these instances."""
        digest = hashlib.sha256(repr(sorted(set(instances))).encode()).hexdigest()
        return self.folder / "runs" / f"{candidate}-{digest[:8]}.jsonl"

    def summary_of(self, path: Path) -> RunSummary:
        """Return the totals of a journal, empty if it does not exist; those of a finished run are read once. Raises
        `UsageError` for a journal without the user's mark: nobody else's results are believed."""
        if path in self._ended or not path.exists():
            return self._ended.get(path, RunSummary())
        with Journal(path) as journal:
            with suppress(NotAJournal):  # cut off before its first line was whole
                journal.read()
            if journal.whole_lines and not journal.is_own:
                msg = f"{path}: {journal.fault_of_marks}, so the loop cannot go on from it; delete it to play it again"
                raise UsageError(msg)
        if journal.summary.submitted:
            self._ended[path] = journal.summary
        return journal.summary

    def finished(self, candidate: str, instances: Sequence[Instance]) -> list[TrialSummary] | None:
        """Return the results of a candidate on these instances, in their order; None if it has not played all."""
        summary = self.summary_of(self.journal_of(candidate, instances))
        played = {(trial.number, trial.task_id): trial for trial in summary.trials.values()}
        return [played[instance] for instance in instances] if summary.submitted else None

    def kept(self) -> dict[str, list[TrialSummary]]:
        """Return the results on the check worlds of each candidate that has played them, the original first."""
        found = {name: self.finished(name, self.plan.check) for name in self.candidates}
        return {name: played for name, played in found.items() if played is not None}

    def best(self) -> str:
        """Return the candidate with the best mean on the check worlds; among equals the one of fewest tokens."""
        kept = self.kept()
        return max(
            kept,
            key=lambda name: (mean_score(kept[name]), -mean_tokens(kept[name])),
            default="the original",
        )

    def spent(self) -> tuple[float | None, int]:
        """Return cost and tokens of all runs and proposals so far; a cost of None is unknown."""
        played = total(self.summary_of(path).spent for path in self.folder.glob("runs/*.jsonl"))
        costs = [played.cost_usd, *(line.cost_usd for line in self.proposals)]
        cost = None if None in costs else math.fsum(filter(None, costs))
        return cost, played.tokens + sum(line.tokens for line in self.proposals)

    def run(self) -> LoopEnded:
        """Search, then play the best candidate and the original on the final worlds, once. Raises what runs and the
        proposer raise."""
        if self.end is None:
            self._search()
            self.append(self._proved(self.best()))
        assert self.end is not None
        return self.end

    def _search(self) -> None:
        plan, gepa = self.plan, extra_module("gepa", "improving", "improve")
        gepa.optimize(
            seed_candidate=dict(plan.texts),
            trainset=list(plan.train),
            valset=list(plan.check),
            adapter=cast("Any", self),
            reflection_minibatch_size=min(plan.batch, len(plan.train)),
            module_selector="all"
            if plan.proposer.startswith(COMMAND)
            else "round_robin",  # A model changes one file.
            # After four rounds without a proposal, for each wanted one, the batches have no failure left.
            stop_callbacks=[
                gepa.utils.ScoreThresholdStopper(1.0),
                gepa.utils.MaxCandidateProposalsStopper(4 * plan.proposals),
                self._is_over,
            ],
            logger=SimpleNamespace(log=lambda text: None),
            seed=plan.seed,
        )
        if self._failure is not None:
            raise self._failure

    def _is_over(self, state: Any) -> bool:
        plan, played = self.plan, len(state.program_candidates) * len(self.plan.check)
        # What the final worlds need is kept back.
        is_spent = any(left <= 0 for left in self._left(2 * len(plan.final) / played).values())
        return bool(is_spent or self._failure or self._proposals >= plan.proposals)

    def evaluate(
        self, batch: list[Instance], candidate: dict[str, str], capture_traces: bool = False
    ) -> Any:
        """Play a candidate; results on train worlds teach what a proposal must not carry."""
        from gepa.core.adapter import EvaluationBatch

        try:
            played = self.play(candidate, batch)
        except UsageError as error:  # a prompt or a module of the candidate cannot be loaded
            if candidate == self.plan.texts:
                raise
            self._complaint = f"it cannot be played: {error}"
            self.tell(f"the candidate {id_of(candidate)} cannot be played: {error}")
            return EvaluationBatch([None] * len(batch), [0.0] * len(batch))
        trials: list[RecordedTrial] = []
        if not set(self.plan.check).intersection(batch):
            trials = [*open_journal(self.journal_of(id_of(candidate), batch)).trials.values()]
            for call in (call for trial in trials for step in trial.steps for call in step.calls):
                result = call.result or {}
                if len(self._values) < 200_000:
                    self._values |= record_values(
                        str(result.get("content", "")), str(call.arguments.get("path", ""))
                    )
                    self._values |= record_values(str(result.get("stdout", "")), ".csv")
        return EvaluationBatch(
            played, [one.own_score or 0.0 for one in played], trials if capture_traces else None
        )

    def make_reflective_dataset(
        self, candidate: dict[str, str], eval_batch: Any, components_to_update: list[str]
    ) -> dict[str, list[dict[str, Any]]]:
        """Return the played trials, the worst first, for each file to change."""
        del candidate
        trials = sorted(eval_batch.trajectories, key=lambda trial: trial.score or 0.0)
        return {name: [{"trial": trial} for trial in trials] for name in components_to_update}

    def propose_new_texts(
        self,
        candidate: dict[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],
        components_to_update: list[str],
    ) -> dict[str, str]:
        """Return the changed texts of a new candidate, from the record or from the proposer; empty if refused."""
        if self._proposals == len(self.proposals):  # else an earlier process has paid for it
            trials = [row["trial"] for row in reflective_dataset[components_to_update[0]]]
            try:
                proposed = self.proposer(candidate, components_to_update, trials, self._complaint)
            except ControlPlaneError as error:  # `gepa` would ask again and go on
                self._failure = error
                return {}
            texts = candidate | {
                name: text for name, text in proposed.texts.items() if name in candidate
            }
            refused = proposed.refused or self._fault_of(candidate, texts)
            line = {
                "parent": id_of(candidate),
                "refused": refused,
                "texts": {} if refused else texts,
            }
            self.append(proposed.model_copy(update=line))
        made = self.proposals[self._proposals]
        self._proposals += 1
        self._complaint = made.refused
        scores, (cost, tokens) = [*map(mean_score, self.kept().values())], self.spent()
        self.tell(
            f"proposals: {self._proposals}, candidates on the check worlds: {len(scores)}, best "
            f"{max(scores, default=0.0):.3f}; spent {tokens:,} tokens{'' if cost is None else f', ${cost:.2f}'}"
        )
        return {name: text for name, text in made.texts.items() if candidate[name] != text}

    def _fault_of(self, before: Texts, after: Texts) -> str:
        """Return why a proposal is refused; empty if it is not."""
        if before == after:
            return "nothing was changed"
        sizes = {name: len(text.encode(errors="replace")) for name, text in after.items()}
        if long := [name for name, size in sizes.items() if size > bounds.MOST_TEXT_BYTES]:
            return f"{long[0]} has more than {bounds.MOST_TEXT_BYTES:,} bytes"
        if values := ", ".join(added_values(self._values, before, after)[:5]):
            return f"it holds data of the trials ({values}), which no other world shares; write a general rule instead"
        return ""

    def play(self, texts: Texts, instances: Sequence[Instance]) -> list[TrialSummary]:
        """Return the results of a candidate on these instances, in their order. Raises `BudgetExhausted` and
        `Interrupted`, with everything that was played kept in its journal."""
        if (played := self.finished(id_of(texts), instances)) is not None:
            return played
        left, path = self._left(), self.journal_of(id_of(texts), instances)
        if any(each <= 0 for each in left.values()):
            msg = "the loop has spent its limits"
            raise BudgetExhausted(msg)
        spent = self.summary_of(
            path
        ).spent  # The limits of a run that goes on count its earlier part.
        earlier = {"run_cost": spent.known_usd, "max_tokens_run": spent.tokens, "run_time": 0}
        changes: dict[str, object] = {name: each + earlier[name] for name, each in left.items()}
        changes |= {
            "limit": None,
            "repeats": 1,
            "runs_dir": str(path.parent),
            "name": f"candidate {id_of(texts)}",
        }
        settings = self.settings_of(texts, changes)
        modules = {
            Path(name).parts[0].removesuffix(".py") for name in texts if name.endswith(".py")
        }
        pin_modules(modules, self._folder_of(texts))
        self.conduct_run(
            settings,
            tuple(TaskTry(task, number) for number, task in dict.fromkeys(instances)),
            path,
        )
        played = self.finished(id_of(texts), instances)
        assert played is not None
        return played

    def _folder_of(self, texts: Texts) -> Path:
        return self.folder / "candidates" / id_of(texts)

    def settings_of(self, texts: Texts, changes: Mapping[str, object]) -> RunSettings:
        """Return the settings under which a candidate plays, with `changes`, its files written: they are read-only, in
        a folder that is named by their hash, and the settings name them in place of the originals."""
        folder, values = self._folder_of(texts), self.settings.model_dump() | dict(changes)
        prompts = Path(self.settings.prompt or FOLDER)
        if any(name.startswith(f"{PROMPTS}/") for name in texts):
            texts = {
                f"{PROMPTS}/{name}.md": (prompts / f"{name}.md").read_text("utf-8")
                for name in HOLES
            } | dict(texts)
        for name, text in texts.items():
            write_whole(folder / name, text.encode(), folder, mode=0o444)
        for name, origin in self.plan.origins.items():
            if name.startswith(f"{PROMPTS}/"):
                values["prompt"] = str(folder / PROMPTS)
            elif name == HINTS:
                values["hints"] = str(folder / HINTS) if texts[HINTS].strip() else ""
            else:
                for setting in ("model", "agent", "rule_sets", "benchmark", "hints", "prompt"):
                    values[setting] = values[setting].replace(origin, str(folder / name))
        return RunSettings.model_validate(values)

    def _left(self, kept_back: float = 0.0) -> dict[str, float]:
        """Return what is left of each limit, by its setting, if a share of what was spent so far is kept back. Raises
        `BudgetExhausted` if the cost is limited and unknown."""
        cost, tokens = self.spent()
        if self.settings.run_cost is not None and cost is None:
            msg = "the price of a reply is unknown, so --run-cost cannot be kept; give the model's --prices"
            raise BudgetExhausted(msg)
        spent = {
            "run_cost": cost or 0.0,
            "max_tokens_run": tokens,
            "run_time": time.monotonic() - self._began,
        }
        limits = {name: getattr(self.settings, name) for name in LIMITS}
        return {
            name: limit - spent[name] * (1 + kept_back)
            for name, limit in limits.items()
            if limit is not None
        }

    def _proved(self, best: str) -> LoopEnded:
        """Play the final worlds with the original and the best candidate, and return the result in words."""
        plan, candidates = self.plan, self.candidates
        if best == id_of(plan.texts):
            text = f"no candidate of {self._proposals} was better than the original on the check worlds"
            return LoopEnded(best=best, is_better=False, text=text)
        before, after = (self.play(texts, plan.final) for texts in (plan.texts, candidates[best]))
        differences = [
            (two.own_score or 0.0) - (one.own_score or 0.0)
            for one, two in zip(before, after, strict=True)
        ]
        interval = bootstrap_interval(differences)
        assert interval is not None
        is_many = sum(map(bool, differences)) >= LEAST_CHANGED
        few = (
            f"; fewer than {LEAST_CHANGED} tasks changed"
            if interval.low > 0 and not is_many
            else ""
        )
        text = result_text(before, after, interval) + few
        return LoopEnded(best=best, is_better=interval.low > 0 and is_many, text=text)


def result_text(
    before: Sequence[TrialSummary], after: Sequence[TrialSummary], interval: Interval
) -> str:
    """Return the result in one line: means, number of tasks, difference with its interval, and the change of tokens."""
    ends = f"95 % CI [{interval.low:.2f}, {interval.high:.2f}]"
    text = f"{mean_score(before):.2f} → {mean_score(after):.2f} on {len(before)} unseen tasks"
    text += f" ({interval.mean:+.2f}, {ends})"
    tokens = mean_tokens(before)
    return (
        f"{text}, tokens {100 * (mean_tokens(after) - tokens) / tokens:+.0f} %" if tokens else text
    )


def loop_page(path: Path) -> Report:
    """Return the page of the loop with this record: its family tree, candidates by tasks, score against cost. It plays
    nothing. Raises as `Loop` does."""
    loop = Loop(path.parent)
    kept, candidates = loop.kept(), loop.candidates
    parents = {id_of(line.texts): line.parent for line in loop.proposals}

    def diff(name: str) -> list[str]:
        before = candidates[parents[name]] if name in parents else candidates[name]
        changed = [(file, text) for file, text in candidates[name].items() if text != before[file]]
        changes = [
            FileChange(Path(file), Path(), before[file].encode(), 0, text) for file, text in changed
        ]
        return [
            line
            for change in changes
            for line in file_diff(str(change.place), change).text.splitlines()
        ]

    nodes = [
        {
            "id": name,
            "scores": [trial.own_score or 0.0 for trial in played],
            "score": mean_score(played),
            "tokens": mean_tokens(played),
            "cost_usd": fmean(trial.spent.cost_usd or 0.0 for trial in played),
            "parent": parents.get(name, ""),
            "diff": diff(name),
        }
        for name, played in kept.items()
    ]
    html = template("loop.html.j2").render(
        plan=loop.plan,
        end=loop.end,
        nodes=nodes,
        refused=[line for line in loop.proposals if line.refused],
        style=style_of_page(),
    )
    return Report(html, len(nodes), sum(map(len, kept.values())))
