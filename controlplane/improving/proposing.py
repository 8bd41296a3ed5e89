"""The proposals of changes, and those who make them."""

from __future__ import annotations

import json
import math
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Protocol

from controlplane.agent.loop import FOLDER, read_text
from controlplane.agent.model import Message, Model, ModelError
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import (
    BudgetExhausted,
    ControlPlaneError,
    Unreachable,
    UsageError,
    as_usage_error,
)
from controlplane.gates.records import parse
from controlplane.gates.text_folding import encodable
from controlplane.improving.loop_record import (
    LoopRecord,
    Proposed,
    Texts,
    id_of,
    loop_score,
)
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.lifecycle.resources.models import opened_model
from controlplane.quantity_texts import score_text
from controlplane.sandbox.files import read_whole, write_whole
from controlplane.sandbox.interface import bounds

# Finds data of single trials in a proposal: ids, names and amounts.
#
# A proposer sees trials in training worlds. A prompt that says "the fee of loan-0543 is 12.50" knows
# such a world by heart, and does not help in others. So a proposal with such data is refused.

_MAX_VALUES: Final = 200_000
"""More values are not collected: they would take too much memory."""
_MIN_ID_CHARS: Final = 3


def _values_of_trials(trials: Iterable[RecordedTrial]) -> Iterator[set[str]]:
    """Yield the values of each file and output that these trials have read.

    Prose has no fields, and so no values.
    """
    for trial in trials:
        for step in trial.steps:
            for call in step.calls:
                result = call.result or {}
                path = str(call.arguments.get("path", ""))
                yield record_values(str(result.get("content", "")), path)
                # Programs often print tables. The ending makes `parse` read their output as one.
                yield record_values(str(result.get("stdout", "")), ".csv")


def record_values(text: str, path: str) -> set[str]:
    """Return the ids, names and amounts in a record."""
    values = set()
    for _, value in parse(text, path):
        value = encodable(value)
        if _identifies_an_instance(value):
            values.add(value)
    return values


def _identifies_an_instance(value: str) -> bool:
    """Return True if a value may belong to one instance alone.

    It is a name of several words (`Anna Meyer-Schulz`), or an id or amount, which has a
    digit (`loan-0543`, `12.50`).
    """
    words = value.split(" ")
    if len(words) > 1:
        return all(
            (len(word) > 1 and word[0].isupper() and word.replace("-", "").isalpha())
            for word in words
        )
    has_digit = any(letter.isdecimal() for letter in value)
    return len(value) >= _MIN_ID_CHARS and has_digit


def added_values(values: Iterable[str], before: Texts, after: Texts) -> list[str]:
    """Return the values that are in `after` and not in `before`, in the order of the text.

    Case and separators make no difference: `Loan/0543` is found for `loan-0543`.
    """
    old = _comparable("\n".join(before.values()))
    new = _comparable("\n".join(after.values()))
    places = {}
    for value in values:
        place = new.find(_comparable(value))
        if place >= 0 and _comparable(value) not in old:
            places[value] = place
    return sorted(places, key=lambda value: places[value])


def _comparable(text: str) -> str:
    """Return the words and numbers of a text in one case, each between single spaces."""
    letters = []
    for letter in encodable(text).casefold():
        letters.append(letter if letter.isalnum() else " ")
    return f" {' '.join(''.join(letters).split())} "


# A request to change a candidate, and who can answer it.


@dataclass(frozen=True, slots=True)
class _ProposalRequest:
    """A request to change a candidate."""

    texts: Texts
    """The candidate's texts."""
    names: Sequence[str]
    """The files that may change."""
    trials: Sequence[RecordedTrial]
    """The candidate's trials, the worst first."""
    complaint: str = ""
    """Why the last proposal was refused; empty if it was not."""


class _Proposer(Protocol):
    """Proposes changes of a candidate."""

    def propose(self, request: _ProposalRequest) -> Proposed:
        """Return new texts for some of the named files. Raises `ControlPlaneError`."""


# A trial as a proposer sees it: Markdown with request, steps, answer and grade.

_MAX_PART_CHARS: Final = 1_500
"""Characters of one script, one output or one message in a trace."""


def _trace_of(trial: RecordedTrial) -> str:
    """Return one trial as a proposer sees it: Markdown with request, steps, answer and grade.

    Of many steps, only the first and the last ones are shown.
    """
    summary = trial.summary
    steps = trial.steps
    half = bounds.SHOWN_STEPS // 2
    if len(steps) > 2 * half:
        steps = (*steps[:half], *steps[-half:])

    parts = [_part("Request", summary.instruction)]
    for step in steps:
        parts.append(_part(f"Step {step.step}", step.code))
        parts.append(_part("Printed", f"{step.output}\n{step.error}".rstrip("\n")))
        for submission in step.verdicts:
            for verdict in submission.rejections:
                parts.append(_part("Sent back", f"{verdict.name}: {verdict.reason}"))
    parts.append(_part(f"Answer ({summary.outcome or 'none'})", summary.answer))
    for line in (*summary.details, summary.reason):
        if line:
            parts.append(_part("Grader", line))
    head = f"## {summary.task_id}: score {score_text(loop_score(summary))}\n"
    return head + "".join(parts)


def _part(title: str, text: str) -> str:
    """Return a titled part of a trace, without the middle of a long text."""
    half = _MAX_PART_CHARS // 2
    omitted = len(text) - 2 * half
    if omitted > 0:
        text = f"{text[:half]}\n[… {omitted} characters …]\n{text[-half:]}"
    return f"\n{title}:\n\n```text\n{text}\n```\n"


# A model that proposes changes of a candidate.

_MAX_TRIALS_SHOWN: Final = 4
"""Trials that the model is shown: the worst ones of a batch."""
_MAX_TRACES_CHARS: Final = 24_000
"""Characters of these trials together, about 6,000 tokens."""


class _ModelProposer:
    """A model that is asked for the new text of one file at a time."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def propose(self, request: _ProposalRequest) -> Proposed:
        """Ask the model for the new text of the first named file."""
        name = request.names[0]
        traces = "\n".join(
            _trace_of(trial) for trial in request.trials[:_MAX_TRIALS_SHOWN]
        )
        prompt = f"# {name}\n\n{request.texts[name]}\n\n# Trials\n\n{traces[:_MAX_TRACES_CHARS]}"
        if request.complaint:
            prompt += f"\n\n# Your proposal before was refused\n\n{request.complaint}"
        messages: list[Message] = [
            {"role": "system", "content": read_text(FOLDER / "improve.md")},
            {"role": "user", "content": prompt},
        ]

        try:
            reply = self._model.complete(messages, "review")
        except ModelError as error:
            msg = f"the proposing model {self._model.name} cannot be asked: {error}"
            raise Unreachable(msg) from error
        tokens = reply.usage.prompt_tokens + reply.usage.completion_tokens
        texts = {}
        if reply.text.strip():
            texts[name] = text_in(reply.text)
        return Proposed(texts=texts, cost_usd=reply.cost_usd, tokens=tokens)


def text_in(reply: str) -> str:
    """Return the text in a reply without the fence around it, ended by one line feed."""
    text = encodable(reply).replace("\r\n", "\n").strip()
    lines = text.split("\n")
    is_fenced = lines[0].startswith("```") and lines[-1] == "```" and len(lines) > 1
    if is_fenced:
        text = "\n".join(lines[1:-1])
    return text.strip("\n") + "\n"


# The files that a loop gives to a program that proposes changes, and those that it takes back.
#
# The program finds a report of failed trials beside the files that it may edit. What it leaves in these
# files is its proposal.


def _proposed_files(folder: Path, names: Sequence[str]) -> Proposed:
    """Return the named files as the program left them. Files that it deleted are left out."""
    texts = {}
    for name in names:
        try:
            file = read_whole(folder / name, folder, bounds.MOST_TEXT_BYTES)
        except OSError as error:
            reason = (
                f"a file that it left is a link, or cannot be read: {error.strerror}"
            )
            return Proposed(refused=reason)
        if file is not None:
            data, _ = file
            texts[name] = data.decode("utf-8", "replace")
    return Proposed(texts=texts)


# A program of the user's, such as a coding agent, that proposes changes of a candidate.


class _ProgramProposer:
    """A program, such as a coding agent, that edits copies of the candidate's files.

    The copies are in a temporary folder, away from the loop's results, which the program
    must not see. A report of the trials is in its folder `failures`.
    """

    def __init__(self, words: Sequence[str], ends_at: float) -> None:
        """Take the words of the command, and the time (by `time.monotonic`) when the loop ends."""
        self._words = words
        self._ends_at = ends_at

    def propose(self, request: _ProposalRequest) -> Proposed:
        """Start the program, and return what it leaves in the named files."""
        with TemporaryDirectory(prefix="controlplane-") as temporary:
            # Coding agents look for their settings in the folders above. They would find
            # other users' settings in the folder for temporary files. A few new folders
            # in between keep them away from it.
            folder = Path(temporary, "loop", "proposal", "files")
            for name, text in request.texts.items():
                write_whole(folder / name, text.encode(), folder)
            rows = []
            parts = []
            if request.complaint:
                parts.append(f"The proposal before was refused: {request.complaint}\n")
            for trial in request.trials:
                trace = _trace_of(trial)
                parts.append(trace)
                rows.append(
                    {"task": trial.task_id, "score": trial.score, "trace": trace}
                )
            for name, text in {
                "report.md": "\n".join(parts),
                "report.json": json.dumps(rows, ensure_ascii=False),
            }.items():
                write_whole(folder / "failures" / name, text.encode(), folder)
            self._run_in(folder)
            return _proposed_files(folder, request.names)

    def _run_in(self, folder: Path) -> None:
        """Run the program in a folder until it ends.

        Raises `BudgetExhausted` if that takes too long.
        """
        environment = dict(os.environ)
        environment["PWD"] = str(folder)
        environment.pop("OLDPWD", None)  # It may name the user's folder.
        with as_usage_error("--with command", OSError):
            process = subprocess.Popen(
                self._words,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=2,  # Standard output holds the loop's result.
                start_new_session=True,
            )

        limit_s = min(self._ends_at - time.monotonic(), bounds.LONGEST_PROGRAM_S)
        try:
            code = process.wait(max(limit_s, 0.0))
        except subprocess.TimeoutExpired:
            msg = (
                f"{self._words[0]} was ended: the loop's time, or "
                f"{bounds.LONGEST_PROGRAM_S:g} s, was over"
            )
            raise BudgetExhausted(msg) from None
        finally:
            # The program may have left processes behind in its session, even if it has ended.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if code:
            msg = f"--with command: {self._words[0]} ended with {code}"
            raise ControlPlaneError(msg)


# The proposals of an improvement loop: recorded ones first, then new ones.

_MAX_VALUES_SHOWN: Final = 5


class Proposals:
    """The proposals of a loop, in order. A resumed loop first gets the recorded ones."""

    def __init__(self, record: LoopRecord, proposer: _Proposer) -> None:
        self._record = record
        self._proposer = proposer
        self._values: set[str] = set()
        """The ids, names and amounts that trials have read."""
        self.taken = 0
        """How many proposals the search has received."""
        self._complaint = ""
        """What was wrong with the last proposal, for the next request; empty if nothing was."""

    def learn_data(self, trials: Iterable[RecordedTrial]) -> None:
        """Note the ids, names and amounts that these trials read. No proposal may contain them."""
        for values in _values_of_trials(trials):
            if len(self._values) < _MAX_VALUES:
                self._values |= values

    def complain(self, fault: str) -> None:
        """Note what is wrong with the last proposal. The next request tells it to the proposer."""
        self._complaint = fault

    def next(
        self, texts: Texts, names: Sequence[str], trials: Sequence[RecordedTrial]
    ) -> Proposed:
        """Return the next proposal: from the record or, if that has no more, from the proposer.

        The proposer may change the `names` among a candidate's `texts`, and sees `trials`
        of the candidate, the worst first. Its proposal, accepted or refused, is recorded.
        Raises `ControlPlaneError` if the proposer fails.
        """
        is_recorded = self.taken < len(self._record.proposals)
        if not is_recorded:
            request = _ProposalRequest(texts, names, trials, self._complaint)
            proposed = self._proposer.propose(request)
            # What is recorded has all texts of the new candidate or, if it is refused, none.
            new_texts = dict(texts)
            for name, text in proposed.texts.items():
                if name in texts:
                    new_texts[name] = text
            refused = proposed.refused or self._fault_of(texts, new_texts)
            if refused:
                new_texts = {}
            update = {
                "parent": id_of(texts),
                "refused": refused,
                "texts": new_texts,
            }
            self._record.append(proposed.model_copy(update=update))
        proposal = self._record.proposals[self.taken]
        self.taken += 1
        self._complaint = proposal.refused  # empty if it was accepted
        return proposal

    def _fault_of(self, before: Texts, after: Texts) -> str:
        """Return why a proposal has to be refused; empty if it is acceptable.

        `before` and `after` are the texts of the candidate without and with the changes.
        """
        if before == after:
            return "nothing was changed"
        for name, text in after.items():
            if len(text.encode(errors="replace")) > bounds.MOST_TEXT_BYTES:
                return f"{name} has more than {bounds.MOST_TEXT_BYTES:,} bytes"
        values = added_values(self._values, before, after)
        if values:
            shown = ", ".join(values[:_MAX_VALUES_SHOWN])
            return (
                f"it holds data of the trials ({shown}), which no other world shares; "
                "write a general rule instead"
            )
        return ""


# Opens the proposer that `--with` names: a model, or `command:` and a program.
#
# The proposer suggests changes in a loop that improves prompts and other texts of an agent. Its
# model may be another one than that of the agent.

COMMAND: Final = "command:"
"""The beginning of `--with command:PROGRAM`."""


def open_proposer(name: str, settings: RunSettings, stack: ExitStack) -> _Proposer:
    """Return the proposer with a name, which is closed with the stack. Raises `UsageError`."""
    if name.startswith(COMMAND):
        with as_usage_error(f"--with {name}", ValueError):
            words = shlex.split(name.removeprefix(COMMAND))
        if not words:
            msg = "--with command: needs a program, as in --with 'command:agent --yes'"
            raise UsageError(msg)
        ends_at = math.inf
        if settings.run_time:
            ends_at = time.monotonic() + settings.run_time
        return _ProgramProposer(words, ends_at)
    # The loop's settings have the endpoint of the model that plays. That of another model comes
    # from the user's configuration.
    model_settings = settings
    if name != settings.model:
        model_settings = resolve({"model": name}, os.environ, Path.cwd()).settings
    return _ModelProposer(stack.enter_context(opened_model(model_settings)))
