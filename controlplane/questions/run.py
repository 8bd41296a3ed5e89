"""The run of a question."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from controlplane.agent.loop import FOLDER, Prompts, read_text
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import Resolved
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.run_events import ParentRun
from controlplane.lifecycle.conducting import RunScreen
from controlplane.lifecycle.new_run import conduct_new
from controlplane.lifecycle.resources.run_prompts import prompts_named_by
from controlplane.lifecycle.resources.run_spec import RunSpec
from controlplane.lifecycle.run_plan import RunPlan
from controlplane.questions.question import Question
from controlplane.questions.question_settings import question_settings
from controlplane.view.answer.answer_reading import asked_answer
from controlplane.view.answer.asked_answer import AskedAnswer

if TYPE_CHECKING:
    from controlplane.mcp.tool_access import ToolAccess

TASK: Final = "ask"
"""The only task of a question's run."""


def question_plan(
    question: Question,
    resolved: Resolved,
    *,
    tools: ToolAccess | None = None,
    approve: Callable[[str], bool] | None = None,
) -> RunPlan:
    """Return the run of a question, not yet begun.

    `resolved` is the result of `question_settings`. `approve` asks the user whether a
    script may make a call.
    """
    settings = resolved.settings
    prompts = _prompts(settings)
    spec = RunSpec(settings, prompts=prompts, tools=tools, approve=approve)
    parent = None
    if question.before is not None:
        parent = ParentRun(run=question.before.stem, how="continue")
    return RunPlan(spec, resolved.sources, parent=parent)


def _prompts(settings: RunSettings) -> Prompts:
    """Return the prompt texts. The rules for questions come before the user's hints in them."""
    prompts = prompts_named_by(settings)
    hints = read_text(FOLDER / "ask.md")
    if prompts.hints:
        hints = f"{hints}\n{prompts.hints}"
    return prompts.model_copy(update={"hints": hints})


def ask_question(
    question: Question,
    screen: RunScreen | None = None,
    *,
    tools: ToolAccess | None = None,
    approve: Callable[[str], bool] | None = None,
) -> AskedAnswer:
    """Ask a question and return its answer.

    Changes that scripts proposed are in the answer; no file is written. Raises
    `UsageError` and similar errors if the question cannot be asked.
    """
    resolved = question_settings(question)
    plan = question_plan(question, resolved, tools=tools, approve=approve)
    run, _ = conduct_new(plan, screen)
    with open_journal(run.journal.path) as journal:
        return asked_answer(journal, question.scope.root)
