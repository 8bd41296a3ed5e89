"""What a worker of a cluster needs to know to play trials of a run.

The worker may be on another machine, with other files and another environment. So paths
and files that only this machine has are replaced by names and texts that are valid there.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controlplane.configuration.installed_versions import playing_digest
from controlplane.configuration.model_settings import ModelSettings, variable_in
from controlplane.configuration.named_modules import options_of
from controlplane.configuration.run_settings import RunSettings
from controlplane.journal.journal_files import with_home
from controlplane.lifecycle.resources.models import PLAYERS
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.resources.run_solver import RunSpec

_SCRIPTED: Final = "scripted:"
"""The prefix of `--model scripted:FILE`. The file holds the replies of the model."""


@dataclass(frozen=True)
class WorkOrder:
    """What a worker needs in order to play trials of a run.

    It has no secrets: a worker takes the keys of endpoints from its own environment.
    """

    run_key: str
    """The name of the run on the cluster, and of the queue of its events: `run-1f0c…`."""
    spec: RunSpec
    world_version: str
    """The version of the benchmark's worlds. A worker that has another version is refused."""
    source_digest: str
    """A hash of the program's source and of Python's version
    in the run's process. A worker with another hash is refused."""
    required_variables: tuple[str, ...]
    """The names of environment variables that hold keys. A worker that lacks one is refused."""


def work_order(resources: RunResources) -> WorkOrder:
    """Return what workers need to know to play trials of this run."""
    settings = resources.settings
    spec = RunSpec(
        resources.settings_elsewhere,
        rule_sets=resources.rule_sets,
        script=_script_of(settings.model),
        prompts=resources.prompts,
    )
    return WorkOrder(
        run_key=f"run-{secrets.token_hex(8)}",
        spec=spec,
        world_version=resources.versions().world,
        source_digest=playing_digest(spec.settings.benchmark),
        required_variables=_required_variables(settings),
    )


def _required_variables(settings: RunSettings) -> tuple[str, ...]:
    """Return the environment variables with keys of the benchmark and of models' endpoints.

    Variables that are not set here are left out: this process does without them, too.
    """
    names = [option.secret_variable for option in options_of(settings.benchmark)]
    for model_settings in (settings, *settings.role.values()):
        names += _variables_of_endpoint(model_settings)
    return tuple(name for name in dict.fromkeys(names) if name in os.environ)


def _variables_of_endpoint(settings: ModelSettings) -> list[str]:
    """Return the variables with keys of a model's endpoint: `["OPENAI_API_KEY", "TOKEN"]`.

    The list is empty for a player or recorded replies, which have no endpoint.
    """
    if settings.model in PLAYERS or settings.model.startswith(_SCRIPTED):
        return []
    headers = settings.model_headers.values()
    return [settings.api_key_env, *(variable_in(value) for value in headers)]


def _script_of(model_name: str) -> str | None:
    """Return the text of the file in `scripted:FILE`; None for another model.

    The text is sent to the workers, since the file is on this machine alone.
    """
    if not model_name.startswith(_SCRIPTED):
        return None
    script_file = model_name.removeprefix(_SCRIPTED)
    return Path(with_home(script_file)).read_text(encoding="utf-8")
