"""What a proposer sees of trials: requests, scripts, what they printed, objections, the grader's lines; bounded.

It also holds what a proposal must not carry: instance data, the ids, names and amounts in the records of train worlds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from agent.events import StepDone
from controlplane.improve.candidates import Texts
from controlplane.improve.evaluation import Played, journals_of
from controlplane.journal.journal_content import RecordedTrial

MAX_CHARS: Final = 1_500
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

    def as_dict(self) -> dict[str, Any]:
        """Return the trace as plain data."""
        return asdict(self)

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
    if len(text) <= MAX_CHARS:
        return text
    half = MAX_CHARS // 2
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
                        self._learn_result(call.result or {})

    def _learn_result(self, result: Mapping[str, Any]) -> None:
        for name in ("content", "stdout"):
            text = result.get(name)
            if isinstance(text, str) and len(self._values) < MAX_VALUES:
                self._values.update(value for value in _record_values(text) if _tells(value))

    def found_in(self, before: Texts, after: Texts) -> list[str]:
        """Return the values of records that a proposal added, in the order of the text."""
        old = "\n".join(before.values())
        found: dict[str, None] = {}
        for text in after.values():
            words = (word.strip(".:!?*_") for word in _WORD.findall(text))
            candidates = [*words, *_NAME.findall(text)]
            found.update(dict.fromkeys(each for each in candidates if each in self._values and each not in old))
        return [*found]


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
