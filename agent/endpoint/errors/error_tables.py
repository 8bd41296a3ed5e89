"""What the errors of endpoints mean, from the file `errors.toml`.

The file has three tables: the meanings of errors, the features of endpoints with the
parameters that belong to them, and phrases that refuse a parameter without naming it.

    error_tables().meaning_named("busy").retryable    -> True
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from controlplane.agent.endpoint.errors.feature import Feature
from controlplane.agent.endpoint.errors.meaning import Meaning
from controlplane.agent.model import Frozen


class RefusedParameter(Frozen):
    """The parameter that an error refuses by a phrase, without naming it.

    `this model does not support tools` refuses the parameter `tools`. In `errors.toml`:

        [refused_by_phrase]
        "does not support tools" = {parameter = "tools", source = "Ollama: ollama/ollama#14795"}
    """

    parameter: str
    source: str
    """The vendor that sends such errors, and a public report of one."""


class ErrorTables(Frozen):
    """What the errors of endpoints mean: the content of `errors.toml`."""

    meanings: tuple[Meaning, ...]
    """What an error means for a trial, such as that the endpoint is busy."""
    features: tuple[Feature, ...]
    """The parts of requests that some endpoints lack, each with its parameters."""
    refused_by_phrase: dict[str, RefusedParameter]
    """The refused parameter by a phrase in the error's text, in lower case."""

    def meaning_named(self, name: str) -> Meaning:
        """Return the meaning with this name, such as `busy`. Raises `KeyError` if there is none."""
        for meaning in self.meanings:
            if meaning.name == name:
                return meaning
        raise KeyError(name)


@cache
def error_tables() -> ErrorTables:
    """Return the tables of `errors.toml`, read once."""
    path = Path(__file__).with_name("errors.toml")
    return ErrorTables.model_validate(tomllib.loads(path.read_text("utf-8")))
