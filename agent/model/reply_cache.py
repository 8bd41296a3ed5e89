"""Replies kept in a folder, so that a rerun asks only for what is new.

A reply is found by its whole request, the model with its settings, and the try. What cannot be read is asked anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ValidationError

from agent.model.model_protocol import TRY, Model, Reply, Usage
from agent.model.model_request import AnsweringModel, ModelRequest

_FORM: Final = 1
"""Counts the forms of keys and files; replies of another form are not found."""


class CachedModel(AnsweringModel):
    """A model whose replies are kept. Called from many threads and processes at once."""

    def __init__(self, model: Model, folder: Path, settings: Mapping[str, object]) -> None:
        """`settings` is all that shapes a reply beside the request: model, address, parameters; never a secret."""
        self._model = model
        self._folder = folder
        self._settings = dict(settings)

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the kept reply, which costs nothing, or ask the model and keep what it says. Raises `ModelError`."""
        key = self._key([_FORM, self._settings, TRY.get(), *request.parts])
        path = self._folder / key[:2] / f"{key}.json"
        kept = _read(path)
        if kept is not None:
            free: dict[str, object] = {"cached": True, "cost_usd": 0.0, "cost_source": "", "usage": Usage()}
            return kept.model_copy(update=free)
        reply = request.put_to(self._model)
        try:
            _write(path, reply.model_copy(update={"notices": (), "learned": None}).model_dump(mode="json"))
        except OSError as error:
            told = f"a reply could not be kept in the cache {self._folder}: {error.strerror}"
            return reply.model_copy(update={"notices": (*reply.notices, told)})
        return reply

    def _key(self, parts: object) -> str:
        # Escapes hold lone surrogates, for which UTF-8 has no bytes.
        text = json.dumps(parts, sort_keys=True, default=_plain)
        return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: object) -> object:
    return value.model_dump() if isinstance(value, BaseModel) else str(value)


def _read(path: Path) -> Reply | None:
    try:
        return Reply.model_validate(json.loads(path.read_bytes()))
    except (OSError, ValueError, ValidationError, RecursionError):
        return None


def _write(path: Path, document: object) -> None:
    """Write a whole file or none: another process may read it at any moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            json.dump(document, file)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
