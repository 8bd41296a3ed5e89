"""Models without an endpoint, by the value of `--model`.

| `--model` | who plays |
|---|---|
| not given | the benchmark's player: a program that writes scripts by fixed rules |
| `baseline` | the same or, if the benchmark has none, the player of the product's own benchmark |
| a name that the benchmark gives | this player of the benchmark |
| `scripted:FILE` | the replies in FILE, one after the other |
| any other name | a model at an endpoint, which is opened elsewhere |
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from controlplane.agent.model import (
    Model,
    ScriptedModel,
)
from controlplane.benchmark import Benchmark
from controlplane.configuration import named_modules
from controlplane.configuration.run_settings import (
    RunSettings,
)
from controlplane.errors import UsageError
from controlplane.journal.journal_files import with_home

BASELINE: Final = "baseline"
"""The value of `--model` for the benchmark's player."""
PLAYERS: Final = ("", BASELINE)
"""The values of `--model` for a player of any benchmark; empty if the option is not given."""


def model_without_endpoint(
    settings: RunSettings,
    benchmark: Benchmark,
    *,
    script: str | None = None,
    plays_scripts: bool = True,
    players: Mapping[str, Model] = MappingProxyType({}),
) -> Model | None:
    """Return the player or the recorded replies that the settings name.

    A player is a program that writes scripts by fixed rules. Returns None if the
    settings name a model at an endpoint.

    - `script`: the text of the file in `scripted:FILE`; None if the file is still to be read.
    - `plays_scripts`: True if the solver runs scripts. A player writes nothing but
      scripts, so it cannot serve another solver.
    - `players`: the benchmark's players that have names, by these names.

    Raises `UsageError`.
    """
    name = settings.model
    named_player = players.get(name)
    if named_player is not None or name in PLAYERS:
        if not plays_scripts:
            msg = (
                f"the solver {settings.agent!r} runs no scripts, which is all that a player by rules writes: name "
                "a model with --model or MODEL_ID, or scripted:FILE"
            )
            raise UsageError(msg)
        return named_player or _player_of(benchmark, settings)

    if name in ("scripted", "scripted:"):
        msg = "--model scripted needs the file of its replies: --model scripted:FILE"
        raise UsageError(msg)
    if name.startswith("scripted:"):
        return scripted_model(name, script)
    return None


def _player_of(benchmark: Benchmark, settings: RunSettings) -> Model:
    """Return the benchmark's player.

    If it has none, and the model is `baseline`, return the player of the embedded
    benchmark. Raises `UsageError`.
    """
    player = benchmark.player()
    if player is None and settings.model == BASELINE:
        player = named_modules.embedded_player()
    if player is None:
        msg = (
            f"the benchmark {settings.benchmark!r} has no player of its own: name a model with --model or "
            "MODEL_ID (and its endpoint with OPENAI_BASE_URL, its key with OPENAI_API_KEY), or scripted:FILE"
        )
        raise UsageError(msg)
    return player


def scripted_model(name: str, script: str | None = None) -> ScriptedModel:
    """Return the model that `scripted:FILE` names. It replies with the texts of FILE.

    `script` is the file's text, if it was read before. Raises `UsageError`.
    """
    path = Path(with_home(name.removeprefix("scripted:")))
    try:
        return ScriptedModel.from_file(path, script)
    except ValueError as error:
        raise UsageError(str(error)) from error
