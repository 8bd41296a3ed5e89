"""Opens the proposer that `--with` names: a model, or `command:` and a program.

The proposer suggests changes in a loop that improves prompts and other texts of an agent. Its
model may be another one than that of the agent.
"""

from __future__ import annotations

import math
import os
import shlex
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import UsageError, as_usage_error
from controlplane.improving.proposing.model_proposer import ModelProposer
from controlplane.improving.proposing.program_proposer import ProgramProposer
from controlplane.improving.proposing.proposal_request import Proposer
from controlplane.lifecycle.resources.models.model_endpoints import opened_model

COMMAND: Final = "command:"
"""The beginning of `--with command:PROGRAM`."""


def open_proposer(name: str, settings: RunSettings, stack: ExitStack) -> Proposer:
    """Return the proposer with a name, which is closed with the stack. Raises `UsageError`."""
    if name.startswith(COMMAND):
        return _program_proposer(name, settings)
    # The loop's settings have the endpoint of the model that plays. That of another model comes
    # from the user's configuration.
    model_settings = settings
    if name != settings.model:
        model_settings = resolve({"model": name}, os.environ, Path.cwd()).settings
    return ModelProposer(stack.enter_context(opened_model(model_settings)))


def _program_proposer(name: str, settings: RunSettings) -> ProgramProposer:
    with as_usage_error(f"--with {name}", ValueError):
        words = shlex.split(name.removeprefix(COMMAND))
    if not words:
        msg = "--with command: needs a program, as in --with 'command:agent --yes'"
        raise UsageError(msg)
    ends_at = math.inf
    if settings.run_time:
        ends_at = time.monotonic() + settings.run_time
    return ProgramProposer(words, ends_at)
