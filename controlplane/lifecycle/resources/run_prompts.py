"""The prompt texts of a run: read from the user's files, or from the run's journal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from controlplane.agent.loop import (
    PromptError,
    Prompts,
    default_prompts,
    read_prompts,
    read_text,
)
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import as_usage_error
from controlplane.journal.run_events import HINTS, RunPrompts

if TYPE_CHECKING:
    from controlplane.journal.journal_reader import Journal


def prompts_named_by(settings: RunSettings) -> Prompts:
    """Return the prompt texts of a new run.

    Raises `UsageError`, whose message names the setting, the file and the fault.
    """
    with as_usage_error("--prompt", PromptError):
        prompts = (
            read_prompts(Path(settings.prompt))
            if settings.prompt
            else default_prompts()
        )
    with as_usage_error("--hints", PromptError):
        hints = read_text(Path(settings.hints)) if settings.hints else ""
    return prompts.model_copy(update={"hints": hints})


def recorded_prompts(journal: Journal) -> Prompts | None:
    """Return the prompt texts that a run started with; None if its solver asked no model.

    A journal of an earlier version may lack a text.
    Then the result has the current one.
    """
    for event in journal.events_of_run():
        if isinstance(event, RunPrompts):
            return _prompts_of(event)
    return None


def _prompts_of(event: RunPrompts) -> Prompts | None:
    """Return the prompt texts in an event; None if it has no text other than the user's hints."""
    texts = {prompt.name: prompt.text for prompt in event.texts}
    hints = texts.pop(HINTS, "")
    if not texts:
        return None
    return Prompts(texts={**default_prompts().texts, **texts}, hints=hints)
