"""The questions that one start of `controlplane ask` asks, each of which continues from the last.

A question is conducted as a run with one trial. Its answer is read from the run's journal, and the
next question gets that journal, so that it knows what was asked and answered.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controlplane.commands.output.answer_output import AnswerOutput
from controlplane.lifecycle.new_run import conduct_new
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_plan import RunPlan
from controlplane.mcp.tool_access import tool_access
from controlplane.questions.question import Question
from controlplane.questions.question_settings import question_settings
from controlplane.questions.run import question_plan
from controlplane.view.progress.approval import approve_on_terminal
from controlplane.view.progress.question_display import question_display
from controlplane.view.progress.run_display import RunView


@dataclass(slots=True)
class Conversation:
    """The questions that one start of the command asks. Each continues from the one before."""

    output: AnswerOutput
    """Prints the answers. It also knows which files the questions are about."""
    settings: Mapping[str, object]
    """The settings of runs that the user gave: `{"model": "qwen3:8b"}`."""
    tools: Mapping[str, Any]
    """The values of the options that name MCP servers."""
    limits: Mapping[str, str]
    """Options of the benchmark that bound its sources."""
    previous: Path | None = None
    """The journal of the question before the next one."""

    def ask_until_empty_line(self) -> int:
        """Prompt for questions. Return the last exit code."""
        code = 0
        with contextlib.suppress(EOFError):
            while True:
                text = input("? ").strip()
                if not text:
                    break
                code = self.ask(text)
        return code

    def ask(self, text: str) -> int:
        """Ask a question and print the answer. Return the exit code."""
        run, code = self._conduct(self._plan(text))
        journal = run.journal.path
        if code == 0:
            code = self.output.present(journal)
        if journal.exists():  # a run that could not begin has no journal
            self.previous = journal
        return code

    def _plan(self, text: str) -> RunPlan:
        """Return the plan of the run that answers a question. Raises `UsageError`."""
        scope = self.output.scope
        question = Question(text, scope, self.settings, self.limits, self.previous)
        resolved = question_settings(question)
        can_ask = self.output.consent.can_ask
        approve_servers = approve_on_terminal if can_ask else None
        return question_plan(
            question,
            resolved,
            tools=tool_access(dict(self.tools), resolved.mcp, approve_servers),
            approve=approve_on_terminal,
        )

    def _conduct(self, plan: RunPlan) -> tuple[Run, int]:
        """Conduct the run of a question, and return it with its exit code."""
        # While a run is shown, file descriptor 1 leads to standard error, so that only
        # answers are on standard output. An unfinished answer is written to this copy of
        # the real standard output.
        stdout = os.dup(1)

        def show_unfinished(run: Run) -> None:
            self.output.show_unfinished(run.journal.path, stdout)

        view = RunView(
            quiet=self.output.quiet,
            as_json=self.output.as_json,
            reports=False,
            display=question_display,
            on_terminated=show_unfinished,
        )
        try:
            return conduct_new(plan, view)
        finally:
            os.close(stdout)
