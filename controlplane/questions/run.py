"""The run of a question."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from controlplane.agent.loop import FOLDER, Prompts, read_text
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import (
    DEFAULT,
    PROFILE_PREFIX,
    Resolved,
    resolve,
)
from controlplane.errors import UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.run_events import ParentRun
from controlplane.lifecycle.conducting import RunScreen
from controlplane.lifecycle.new_run import NewRun, conduct_new
from controlplane.lifecycle.resources.run_prompts import prompts_named_by
from controlplane.lifecycle.resources.run_spec import RunSpec
from controlplane.questions.conversation import BENCHMARK, earlier_context
from controlplane.questions.scope import QuestionScope
from controlplane.view.answer.asked_answer import AskedAnswer, asked_answer

if TYPE_CHECKING:
    from controlplane.mcp.tool_access import ToolAccess

TASK: Final = "ask"
"""The only task of a question's run."""
ENDPOINT_SETTINGS: Final = ("model", "base_url", "api")
"""Settings that are taken over together from one question to the next."""
PATIENCE_S: Final = 30.0
"""How long a question waits for a failing model, unless a setting says otherwise.
It is short, because the user is waiting for the answer."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with everything that determines its run."""

    text: str
    scope: QuestionScope
    settings: Mapping[str, object] = field(default_factory=dict)
    """The settings that the user gave."""
    limits: Mapping[str, str] = field(default_factory=dict)
    """Options of the benchmark that limit its sources."""
    before: Path | None = None
    """The journal of the previous question of the conversation; None for the first question."""


def question_plan(
    question: Question,
    resolved: Resolved,
    *,
    tools: ToolAccess | None = None,
    approve: Callable[[str], bool] | None = None,
) -> NewRun:
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
    return NewRun(spec, resolved.sources, parent=parent)


def question_settings(question: Question) -> Resolved:
    """Return the settings of a question's run.

    A further question goes to the endpoint of the previous one, which already knows the
    files. The user may name another endpoint: by its address, or by a profile, which is
    a name for the settings of a model.

    Raises `UsageError`, also if no model is named.
    """
    flags = {
        **question.settings,
        "benchmark": f"{BENCHMARK}:{question.scope.root}",
        "set": _benchmark_options(question),
        "workers": "threads",
    }
    resolved = _resolved(flags)
    if question.before is not None and not _names_endpoint(question, resolved):
        # The flags override the previous question's model and protocol, too.
        resolved = _resolved(_earlier_endpoint(question, question.before) | flags)
    if resolved.sources["model_patience"] == DEFAULT:
        resolved = _with_patience(resolved)
    if not resolved.settings.model:
        msg = (
            "ask needs a model: name one with --model or MODEL_ID (its endpoint with "
            "OPENAI_BASE_URL, its key with OPENAI_API_KEY)"
        )
        raise UsageError(msg)
    return resolved


def _resolved(flags: dict[str, object]) -> Resolved:
    return resolve(flags, os.environ, Path.cwd())


def _names_endpoint(question: Question, resolved: Resolved) -> bool:
    """Return True if the user names an endpoint: by its address, or by the profile of a model."""
    if "base_url" in question.settings:
        return True
    if "model" not in question.settings:
        return False
    return resolved.sources["model"].startswith(PROFILE_PREFIX)


def _earlier_endpoint(question: Question, before: Path) -> dict[str, object]:
    """Return the settings by which the question before reached its model.

    A model that came from a profile is given by the profile's name alone, unless the
    user names a model. The profile's present settings then apply.
    """
    with open_journal(before) as journal:
        recorded = {}
        for setting in journal.opened.settings:
            if setting.name in ENDPOINT_SETTINGS:
                recorded[setting.name] = setting
    source = recorded["model"].source
    if "model" not in question.settings and source.startswith(PROFILE_PREFIX):
        return {"model": source.removeprefix(PROFILE_PREFIX)}
    return {name: setting.value for name, setting in recorded.items()}


def _with_patience(resolved: Resolved) -> Resolved:
    """Return the settings with the shorter waiting time for failing models (`PATIENCE_S`)."""
    settings = resolved.settings.model_copy(update={"model_patience": PATIENCE_S})
    return replace(resolved, settings=settings)


def _benchmark_options(question: Question) -> dict[str, str]:
    """Return the options (`--set`) of the benchmark whose only task is the question."""
    options = dict(question.limits)
    options["question"] = question.text
    options["only"] = json.dumps(question.scope.sources)
    options["write"] = question.scope.writable_folder
    if question.before is not None:
        options["earlier"] = earlier_context(question.before)
    return options


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
