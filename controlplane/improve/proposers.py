"""Proposers of candidates, and what they see of trials: a model that reflects on traces of failures, or a program that
edits the candidate's folder.

A proposer sees train worlds alone: the current texts, and bounded traces of some trials. A proposal must not carry
instance data: the ids, names and amounts in the records of train worlds.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final, TypeAlias

from agent.loop import FOLDER, read_text
from agent.model import Message, Model, ModelError
from controlplane.errors import ControlPlaneError, Unreachable
from controlplane.improve.evaluation import Played, Texts, files_below, write_files
from controlplane.journal.journal_content import RecordedTrial, open_journal
from gates.trial_facts import parse

MAX_PART_CHARS: Final = 1_500
"""Characters of one script, one output or one message in a trace."""
MAX_STEPS: Final = 8
MAX_VALUES: Final = 200_000
"""Values of records that are compared with a proposal."""
MAX_TRACES: Final = 4
MAX_TRACES_CHARS: Final = 24_000
REPORT: Final = "failures"
"""The folder of a program's report, beside the candidate's files."""
PROGRAM_S: Final = 3_600.0
_WORD: Final = re.compile(r"[^\s\"'`<>(){}\[\],;]+")
_NAME: Final = re.compile(r"[^\W\d_a-z]\w+(?:[ -][^\W\d_a-z]\w+)+")
_TELLING: Final = (re.compile(r"(?=.*\d)(?=.*[A-Za-z])[\w@.+-]{4,}"), re.compile(r"\d[\d.,]*\d{2}"), _NAME)
"""The forms of values that identify an instance: an id, an amount or a long number, a name of several words."""
_FENCE: Final = re.compile(r"^```[^\n]*\n(.*)^```\s*\Z", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Trace:
    """One trial, as a proposer sees it."""

    task: str
    score: float
    grader: tuple[str, ...]
    """The grader's lines, or why the trial has no answer."""
    text: str
    """Request, steps, answer and the grader's lines as Markdown, each part cut to a bound."""


def traces_of(played: Iterable[Played]) -> list[Trace]:
    """Return the traces of trials, the worst first."""
    return sorted((_trace(one, trial) for one, trial in _recorded(played)), key=lambda trace: trace.score)


def _recorded(played: Iterable[Played]) -> Iterator[tuple[Played, RecordedTrial]]:
    for one in played:
        with open_journal(one.journal) as journal:
            yield one, journal.trials[one.trial.trial_id]


def _trace(played: Played, trial: RecordedTrial) -> Trace:
    summary, steps = trial.summary, trial.steps
    grader = tuple(map(_cut, filter(None, (*summary.details, summary.reason))))
    parts = [f"## {summary.task_id}: score {played.score:.2f}", f"Request:\n\n{_quoted(summary.instruction)}"]
    for step in [*steps[: MAX_STEPS // 2], *steps[max(len(steps) - MAX_STEPS // 2, MAX_STEPS // 2) :]]:
        printed = step.output + (f"\n{step.error}" if step.error else "")
        code = f"```python\n{_cut(step.code)}\n```\n\nPrinted:\n\n```text\n{_cut(printed)}\n```"
        rejections = [each for judged in step.verdicts for each in judged.verdicts if each.result == "reject"]
        sent_back = [f"Sent back: {_cut(f'{each.name}: {each.reason}')}" for each in rejections]
        parts += [f"### Step {step.step}\n\n{code}", *sent_back]
    parts.append(f"Answer ({summary.outcome or 'none'}):\n\n{_quoted(summary.answer)}")
    parts += [f"Grader: {line}" for line in grader]
    return Trace(summary.task_id, played.score, grader, "\n\n".join(parts) + "\n")


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in _cut(text).splitlines()) or "> (nothing)"


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
        """Add the values of all records that these trials read or queried."""
        for _, trial in _recorded(played):
            for call in (call for step in trial.steps for call in step.calls):
                result = call.result or {}
                self.learn_record(str(result.get("content", "")), str(call.arguments.get("path", "")))
                self.learn_record(str(result.get("stdout", "")), ".csv")

    def learn_record(self, text: str, path: str) -> None:
        """Add the values of one record; a text that is none has no values."""
        parsed = parse(text, path)
        if parsed.is_whole and len(self._values) < MAX_VALUES:
            values = (value for _, value in parsed.all_values())
            self._values.update(value for value in values if any(form.fullmatch(value) for form in _TELLING))

    def added_by(self, before: Texts, after: Texts) -> list[str]:
        """Return the values of records that a proposal added, in the order of the text."""
        old, values = "\n".join(before.values()), list[str]()
        for text in after.values():
            written = (*(word.strip(".:!?*_") for word in _WORD.findall(text)), *_NAME.findall(text))
            values += [each for each in written if each in self._values and each not in old]
        return list(dict.fromkeys(values))


@dataclass(frozen=True, slots=True)
class Proposal:
    """New texts for some of a candidate's files, and what they cost."""

    texts: Texts
    cost_usd: float | None = 0.0
    tokens: int = 0


Proposer: TypeAlias = Callable[[Texts, Sequence[str], Sequence[Trace], str], Proposal]
"""Returns new texts for some of the named files of a candidate, given its texts and traces of trials, and why the
proposal before was refused, if it was. Raises `ControlPlaneError`."""


def ask_model(model: Model, texts: Texts, names: Sequence[str], traces: Sequence[Trace], complaint: str) -> Proposal:
    """Ask a model for the new text of the first of `names`; `gepa` names one file at a time."""
    name = names[0]
    failures = "\n".join(trace.text for trace in traces[:MAX_TRACES])[:MAX_TRACES_CHARS]
    refused = f"\n\n# Your proposal before was refused\n\n{complaint}" if complaint else ""
    messages: list[Message] = [
        {"role": "system", "content": read_text(FOLDER / "improve.md")},
        {"role": "user", "content": f"# {name}\n\n{texts[name]}\n\n# Trials\n\n{failures}{refused}"},
    ]
    try:
        reply = model.complete(messages, "review")
    except ModelError as error:
        msg = f"the proposing model {model.name} cannot be asked: {error}"
        raise Unreachable(msg) from error
    tokens = reply.usage.prompt_tokens + reply.usage.completion_tokens
    return Proposal({name: text_in(reply.text)} if reply.text.strip() else {}, reply.cost_usd, tokens)


def text_in(reply: str) -> str:
    """Return the text in a reply without the fence around it, ended by one line feed."""
    fenced = _FENCE.fullmatch(reply.strip())
    return (fenced[1] if fenced else reply).strip("\n") + "\n"


@dataclass(frozen=True, slots=True)
class Program:
    """A program that proposes: it is started in a copy of the candidate's folder, with a report of the trials."""

    words: Sequence[str]
    work: Path
    """The folder of the copies."""
    timeout_s: float

    def __call__(self, texts: Texts, names: Sequence[str], traces: Sequence[Trace], complaint: str) -> Proposal:
        """Return what the program leaves in the named files."""
        place = next(place for number in count(1) if not (place := self.work / f"{number}").exists())
        write_files(place, texts)
        _write_report(place / REPORT, traces, complaint)
        try:
            subprocess.run(self.words, cwd=place, stdin=subprocess.DEVNULL, timeout=self.timeout_s, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            msg = f"--with command: {error}; its folder is {place}"
            raise ControlPlaneError(msg) from error
        shutil.rmtree(place / REPORT, ignore_errors=True)
        return Proposal(files_below(place, names))


def _write_report(folder: Path, traces: Sequence[Trace], complaint: str) -> None:
    """Write what failed: `report.md`, `report.json`, and a rendered trace for each trial."""
    lines = ["# Trials, the worst first\n"]
    lines += [f"The proposal before was refused: {complaint}\n"] if complaint else []
    texts, rows = dict[str, str](), list[dict[str, object]]()
    for number, trace in enumerate(traces, start=1):
        name = f"trial-{number:02}.md"
        texts[name] = trace.text
        rows.append({"task": trace.task, "score": trace.score, "grader": trace.grader, "trace": name})
        lines.append(f"- {trace.task}: score {trace.score:.2f}, [{name}]({name})")
        lines += [f"  - {line.splitlines()[0]}" for line in trace.grader]
    texts["report.json"] = json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
    write_files(folder, {**texts, "report.md": "\n".join(lines) + "\n"})
