"""The settings of a question's run: those of the user, and the endpoint of the question before."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Final

from controlplane.configuration.setting_sources import (
    DEFAULT,
    PROFILE_PREFIX,
    Resolved,
    resolve,
)
from controlplane.errors import UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.questions.conversation import BENCHMARK
from controlplane.questions.earlier_context import earlier_context
from controlplane.questions.question import Question

ENDPOINT_SETTINGS: Final = ("model", "base_url", "api")
"""Settings that are taken over together from one question to the next."""
PATIENCE_S: Final = 30.0
"""How long a question waits for a failing model, unless a setting says otherwise.
It is short, because the user is waiting for the answer."""


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
        # The endpoint of the previous question applies where the user named nothing else.
        # With `--model b`, for example, model b is asked at the previous address.
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
    """Return the settings of a run with these flags, here and now."""
    return resolve(flags, os.environ, Path.cwd())


def _names_endpoint(question: Question, resolved: Resolved) -> bool:
    """Return True if the user names an endpoint: by its address, or by the profile of a model.

    The source of a setting that a profile gives is `profile NAME`.
    """
    if "base_url" in question.settings:
        return True
    if "model" not in question.settings:
        return False
    return resolved.sources["model"].startswith(PROFILE_PREFIX)


def _earlier_endpoint(question: Question, before: Path) -> dict[str, object]:
    """Return the settings by which the question before reached its model.

    `before` is that question's journal. A model that came from a profile is given by the profile's
    name alone, unless the user names a model. The profile's present settings then apply.
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
