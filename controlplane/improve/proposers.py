"""Proposers of candidates, and what they see of trials: a model that reflects on traces of failures, or a program that
edits the candidate's folder.

A proposer sees train worlds alone: the current texts, and bounded traces of some trials. A proposal must not carry
instance data: the ids, names and amounts in the records of train worlds.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from agent.events import StepDone
from agent.loop import FOLDER, read_text
from agent.model import Message, Model, ModelError
from controlplane.errors import ControlPlaneError, Unreachable, UsageError
from controlplane.improve.evaluation import Played, Texts, files_below, journals_of, write_files
from controlplane.journal.journal_content import RecordedTrial

MAX_PART_CHARS: Final = 1_500
"""Characters of one script, one output or one message in a trace."""
MAX_STEPS: Final = 8
MAX_VALUES: Final = 200_000
"""Values of records that are compared with a proposal."""
_WORD: Final = re.compile(r"[^\s\"'`<>(){}\[\],;]+")
_ID: Final = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[\w@.+-]{4,}")
_NUMBER: Final = re.compile(r"\d[\d.,]*\d{2}")
_NAME: Final = re.compile(r"[^\W\d_a-z]\w+(?:[ -][^\W\d_a-z]\w+)+")


@dataclass(frozen=True, slots=True)
class StepTrace:
    """One step of a trial."""

    code: str
    printed: str
    objections: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrialTrace:
    """One trial, as a proposer sees it."""

    task: str
    score: float
    instruction: str
    steps: tuple[StepTrace, ...]
    answer: str
    outcome: str
    grader: tuple[str, ...]
    """The grader's lines, or why the trial has no answer."""

    def as_markdown(self) -> str:
        """Return the trace as text with headings."""
        parts = [f"## {self.task}: score {self.score:.2f}", f"Request:\n\n{_quoted(self.instruction)}"]
        for number, step in enumerate(self.steps, start=1):
            parts.append(
                f"### Step {number}\n\n```python\n{step.code}\n```\n\nPrinted:\n\n```text\n{step.printed}\n```"
            )
            parts += [f"Sent back: {objection}" for objection in step.objections]
        parts.append(f"Answer ({self.outcome or 'none'}):\n\n{_quoted(self.answer)}")
        parts += [f"Grader: {line}" for line in self.grader]
        return "\n\n".join(parts) + "\n"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines()) or "> (nothing)"


def traces_of(played: Iterable[Played]) -> list[TrialTrace]:
    """Return the traces of trials, the worst first."""
    traces = [_trace(journal.trials[one.trial_id], one) for journal, results in journals_of(played) for one in results]
    return sorted(traces, key=lambda trace: trace.score)


def _trace(trial: RecordedTrial, played: Played) -> TrialTrace:
    summary, steps = trial.summary, trial.steps
    shown = [*steps[: MAX_STEPS // 2], *steps[max(len(steps) - MAX_STEPS // 2, MAX_STEPS // 2) :]]
    return TrialTrace(
        played.instance.task,
        played.score,
        _cut(summary.instruction),
        tuple(_step(step) for step in shown),
        _cut(summary.answer),
        summary.outcome,
        tuple(_cut(line) for line in (*summary.details, *([summary.reason] if summary.reason else ()))),
    )


def _step(step: StepDone) -> StepTrace:
    rejected = [verdict for judged in step.verdicts for verdict in judged.verdicts if verdict.result == "reject"]
    printed = step.output + (f"\n{step.error}" if step.error else "")
    return StepTrace(_cut(step.code), _cut(printed), tuple(_cut(f"{each.name}: {each.reason}") for each in rejected))


def _cut(text: str) -> str:
    if len(text) <= MAX_PART_CHARS:
        return text
    half = MAX_PART_CHARS // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters …]\n{text[-half:]}"


class InstanceData:
    """The ids, names and amounts in records of worlds that were played. Documents are not records."""

    def __init__(self) -> None:
        self._values: set[str] = set()

    def learn(self, played: Iterable[Played]) -> None:
        """Take the values of all records that these trials read or queried."""
        for journal, results in journals_of(played):
            for one in results:
                for step in journal.trials[one.trial_id].steps:
                    for call in step.calls:
                        self.learn_result(call.result or {})

    def learn_result(self, result: Mapping[str, Any]) -> None:
        """Take the values of one call's result."""
        for name in ("content", "stdout"):
            text = result.get(name)
            if isinstance(text, str) and len(self._values) < MAX_VALUES:
                self._values.update(value for value in _record_values(text) if _tells(value))

    def found_in(self, before: Texts, after: Texts) -> list[str]:
        """Return the values of records that a proposal added, in the order of the text."""
        old = "\n".join(before.values())
        values: dict[str, None] = {}
        for text in after.values():
            words = (word.strip(".:!?*_") for word in _WORD.findall(text))
            candidates = [*words, *_NAME.findall(text)]
            values.update(dict.fromkeys(each for each in candidates if each in self._values and each not in old))
        return [*values]


def _record_values(text: str) -> Iterator[str]:
    """Yield the scalar values of a JSON record, or the cells of a table of comma-separated values."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            left: list[Any] = [json.loads(text)]
        except (ValueError, RecursionError):
            return
        while left:
            value = left.pop()
            if isinstance(value, dict):
                left += value.values()
            elif isinstance(value, list):
                left += value
            elif isinstance(value, str | int | float) and not isinstance(value, bool):
                yield str(value)
    elif "," in text.partition("\n")[0]:
        yield from (cell.strip() for line in text.splitlines()[1:] for cell in line.split(","))


def _tells(value: str) -> bool:
    """Say whether a value identifies an instance: an id, an amount or a long number, or a name of several words."""
    return any(form.fullmatch(value) for form in (_ID, _NUMBER, _NAME))


COMMAND: Final = "command:"
REPORT: Final = "failures"
"""The folder of the report, beside the candidate's files."""
MAX_TRACES: Final = 4
MAX_TRACES_CHARS: Final = 24_000
_FENCE: Final = re.compile(r"^```[^\n]*\n(.*)^```\s*\Z", re.DOTALL | re.MULTILINE)
_HEAD: Final = re.compile(r"^=== (\S+) ===$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Proposal:
    """New texts for some of a candidate's files, and what they cost."""

    texts: Texts
    """The changed files only."""
    cost_usd: float | None = 0.0
    tokens: int = 0


class Proposer(Protocol):
    """Proposes changes to a candidate."""

    changes_all: bool
    """True if it may change all files at once, False if it is asked about one at a time."""

    def propose(self, texts: Texts, names: Sequence[str], traces: Sequence[TrialTrace], complaint: str) -> Proposal:
        """Return new texts for files in `names`. `complaint` says why the proposal before was refused, if it was.

        Raises `ControlPlaneError` if the proposer cannot be asked.
        """
        ...


class ModelProposer:
    """Asks a model for the new text of a file, given the text and traces of failures."""

    changes_all = False

    def __init__(self, model: Model) -> None:
        self._model = model
        self._prompt = read_text(FOLDER / "improve.md")

    def propose(self, texts: Texts, names: Sequence[str], traces: Sequence[TrialTrace], complaint: str) -> Proposal:
        """Return new texts, one request for all files in `names`."""
        files = "\n\n".join(f"=== {name} ===\n{texts[name]}" for name in names)
        failures = "\n".join(trace.as_markdown() for trace in traces[:MAX_TRACES])[:MAX_TRACES_CHARS]
        request = f"# Files\n\n{files}\n\n# Trials\n\n{failures}"
        if complaint:
            request += f"\n\n# Your proposal before was refused\n\n{complaint}"
        messages: list[Message] = [
            {"role": "system", "content": self._prompt},
            {"role": "user", "content": request},
        ]
        try:
            reply = self._model.complete(messages, "review")
        except ModelError as error:
            msg = f"the proposing model {self._model.name} cannot be asked: {error}"
            raise Unreachable(msg) from error
        tokens = reply.usage.prompt_tokens + reply.usage.completion_tokens
        return Proposal(parsed_reply(reply.text, names), reply.cost_usd, tokens)


def parsed_reply(text: str, names: Sequence[str]) -> dict[str, str]:
    """Return the texts in a reply: one below each `=== NAME ===`, or, for a single file, all of it."""
    heads = [head for head in _HEAD.finditer(text) if head[1] in names]
    if not heads:
        return {names[0]: _bare(text)} if len(names) == 1 and text.strip() else {}
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return {head[1]: _bare(text[head.end() : end]) for head, end in zip(heads, ends, strict=True)}


def _bare(text: str) -> str:
    """Return a text without the fence around it, ended by one line feed."""
    fenced = _FENCE.fullmatch(text.strip())
    return (fenced[1] if fenced else text).strip("\n") + "\n"


class CommandProposer:
    """Starts a program in a copy of the candidate's folder, and takes what it leaves there."""

    changes_all = True

    def __init__(self, command: str, work: Path, timeout_s: float) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            msg = f"--with {COMMAND}{command}: {error}"
            raise UsageError(msg) from error
        if not self._words:
            msg = f"--with {COMMAND} needs a program, as in --with 'command:agent --yes'"
            raise UsageError(msg)
        self._work = work
        self._timeout_s = timeout_s

    def propose(self, texts: Texts, names: Sequence[str], traces: Sequence[TrialTrace], complaint: str) -> Proposal:
        """Return the files that the program changed; anything else that it wrote is left out."""
        number = 1
        while (self._work / f"{number}").exists():
            number += 1
        place = self._work / f"{number}"
        write_files(place, texts)
        write_report(place / REPORT, traces, complaint)
        began = time.monotonic()
        # A session of its own, so that programs which it starts end with it.
        with subprocess.Popen(self._words, cwd=place, stdin=subprocess.DEVNULL, start_new_session=True) as program:
            try:
                code = program.wait(self._timeout_s)
            except BaseException as error:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(program.pid, signal.SIGKILL)
                if isinstance(error, subprocess.TimeoutExpired):
                    msg = f"{self._words[0]} ran longer than {time.monotonic() - began:.0f} s and was ended"
                    raise ControlPlaneError(msg) from error
                raise
        if code:
            msg = f"{self._words[0]} ended with exit code {code}; its folder is {place}"
            raise ControlPlaneError(msg)
        after = files_below(place, names)
        shutil.rmtree(place / REPORT, ignore_errors=True)
        return Proposal({name: text for name, text in after.items() if text != texts[name]})


def write_report(folder: Path, traces: Sequence[TrialTrace], complaint: str = "") -> None:
    """Write what failed: `report.md`, `report.json`, and a rendered trace for each trial."""
    folder.mkdir(parents=True)
    rows: list[Mapping[str, object]] = []
    lines = ["# Trials, the worst first", ""]
    if complaint:
        lines += [f"The proposal before was refused: {complaint}", ""]
    for number, trace in enumerate(traces, start=1):
        name = f"trial-{number:02}.md"
        (folder / name).write_text(trace.as_markdown(), encoding="utf-8")
        rows.append(asdict(trace) | {"trace": name})
        lines.append(f"- {trace.task}: score {trace.score:.2f}, [{name}]({name})")
        lines += [f"  - {line.splitlines()[0]}" for line in trace.grader if line]
    (folder / "report.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "report.json").write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
