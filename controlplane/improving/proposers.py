"""Proposers of changes: a model that writes new texts, or a program that edits the files.

Both are shown traces of the candidate's trials: what each step did and printed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Protocol

from controlplane.agent.events import StepDone
from controlplane.agent.loop import FOLDER, read_text
from controlplane.agent.model import Message, Model, ModelError
from controlplane.errors import (
    BudgetExhausted,
    ControlPlaneError,
    Unreachable,
    as_usage_error,
)
from controlplane.gates.submission import encodable
from controlplane.improving.candidate_id import Texts
from controlplane.improving.loop_lines import Proposed
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.sandbox.files import read_whole, write_whole
from controlplane.sandbox.interface import bounds

COMMAND: Final = "command:"
"""The beginning of `--with command:PROGRAM`."""
MAX_TRIALS_SHOWN: Final = 4
MAX_TRACES_CHARS: Final = 24_000
MAX_PART_CHARS: Final = 1_500
"""Characters of one script, one output or one message in a trace."""


@dataclass(frozen=True, slots=True)
class ProposalRequest:
    """A request to change a candidate."""

    texts: Texts
    """The candidate's texts."""
    names: Sequence[str]
    """The files that may change."""
    trials: Sequence[RecordedTrial]
    """The candidate's trials, the worst first."""
    complaint: str = ""
    """Why the last proposal was refused; empty if it was not."""


class Proposer(Protocol):
    """Proposes changes of a candidate."""

    def propose(self, request: ProposalRequest) -> Proposed:
        """Return new texts for some of the named files. Raises `ControlPlaneError`."""


class ModelProposer:
    """A model that is asked for the new text of one file at a time."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def propose(self, request: ProposalRequest) -> Proposed:
        """Ask the model for the new text of the first named file."""
        name = request.names[0]
        traces = "\n".join(
            trace_of(trial) for trial in request.trials[:MAX_TRIALS_SHOWN]
        )
        prompt = f"# {name}\n\n{request.texts[name]}\n\n# Trials\n\n{traces[:MAX_TRACES_CHARS]}"
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


class ProgramProposer:
    """A program, such as a coding agent, that edits copies of the candidate's files.

    The copies are in a temporary folder, away from the loop's results, which the program
    must not see. A report of the trials is in its folder `failures`.
    """

    def __init__(self, words: Sequence[str], ends_at: float) -> None:
        """Take the words of the command, and the time (by `time.monotonic`) when the loop ends."""
        self._words = words
        self._ends_at = ends_at

    def propose(self, request: ProposalRequest) -> Proposed:
        """Start the program, and return what it leaves in the named files."""
        with TemporaryDirectory(prefix="controlplane-") as temporary:
            # Coding agents look for their settings in the folders above. They would find
            # other users' settings in the folder for temporary files. A few new folders
            # in between keep them away from it.
            folder = Path(temporary, "loop", "proposal", "files")
            for name, text in request.texts.items():
                write_whole(folder / name, text.encode(), folder)
            for name, text in _report_files(request).items():
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


def _report_files(request: ProposalRequest) -> dict[str, str]:
    """Return the report of the trials for people and for programs."""
    rows = []
    parts = []
    if request.complaint:
        parts.append(f"The proposal before was refused: {request.complaint}\n")
    for trial in request.trials:
        trace = trace_of(trial)
        parts.append(trace)
        rows.append({"task": trial.task_id, "score": trial.score, "trace": trace})
    return {
        "report.md": "\n".join(parts),
        "report.json": json.dumps(rows, ensure_ascii=False),
    }


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


# Traces


def trace_of(trial: RecordedTrial) -> str:
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
        for objection in _objections(step):
            parts.append(_part("Sent back", objection))
    parts.append(_part(f"Answer ({summary.outcome or 'none'})", summary.answer))
    for line in (*summary.details, summary.reason):
        if line:
            parts.append(_part("Grader", line))
    head = f"## {summary.task_id}: score {summary.own_score or 0.0:.2f}\n"
    return head + "".join(parts)


def _objections(step: StepDone) -> list[str]:
    """Return the reasons for which gates and rules rejected the step's submissions."""
    objections = []
    for submission in step.verdicts:
        for verdict in submission.verdicts:
            if verdict.result == "reject":
                objections.append(f"{verdict.name}: {verdict.reason}")
    return objections


def _part(title: str, text: str) -> str:
    """Return a titled part of a trace, without the middle of a long text."""
    half = MAX_PART_CHARS // 2
    omitted = len(text) - 2 * half
    if omitted > 0:
        text = f"{text[:half]}\n[… {omitted} characters …]\n{text[-half:]}"
    return f"\n{title}:\n\n```text\n{text}\n```\n"
