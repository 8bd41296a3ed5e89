"""The second reader of `judge`: a model that reads the answers that the gates accept.

It may find a mistake that no gate finds. The user names it by `--role review=MODEL`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controlplane.agent.model import Model, ModelRequest, Reply
from controlplane.configuration.model_settings import ModelSettings
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import UsageError
from controlplane.lifecycle.resources.models.model_endpoints import opened_model


class SecondReader:
    """A model that reads accepted answers again, with the tokens, cost and time of its requests."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.requests = 0
        self.tokens = 0
        self.cost_usd = 0.0
        self.elapsed_s = 0.0

    def ask(self, request: ModelRequest) -> Reply:
        """Send a request to the model, and add what it took to the sums."""
        started_s = time.monotonic()
        reply = self.model.reply_to(request)
        self.elapsed_s += time.monotonic() - started_s
        self.requests += 1
        self.tokens += reply.usage.prompt_tokens + reply.usage.completion_tokens
        self.cost_usd += reply.cost_usd or 0.0
        return reply

    @property
    def spent(self) -> dict[str, float]:
        """Requests, tokens, known cost in US dollars, and seconds, by the names of `--json`."""
        return {
            "requests": self.requests,
            "tokens": self.tokens,
            "usd": round(self.cost_usd, 6),
            "seconds": round(self.elapsed_s, 3),
        }


@contextmanager
def second_reader(role_option: str) -> Iterator[SecondReader | None]:
    """Open the model that `review=MODEL` names; yield None without one. Raises `UsageError`."""
    if not role_option:
        yield None
        return
    role_name, _, model = role_option.partition("=")
    if role_name != "review" or not model:
        msg = f"--role {role_option}: give review=MODEL, the profile or the model of a second reader"
        raise UsageError(msg)
    with opened_model(_reader_settings(model)) as opened:
        yield SecondReader(opened)


def _reader_settings(model: str) -> ModelSettings:
    """Return the settings for requests to a profile of controlplane.toml, or to a model's id."""
    folder = Path.cwd()
    # Only a first reading of the configuration shows whether it has a profile of this name.
    if model in resolve({}, os.environ, folder).profiles:
        flags = {"role": {"review": model}}
        return resolve(flags, os.environ, folder).settings.role["review"]
    return resolve({"model": model}, os.environ, folder).settings
