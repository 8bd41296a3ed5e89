"""The file of a scripted model, for tests, demonstrations and bug reports.

It is TOML, a list of tables, one for each reply (see `ScriptedReply`):

    [[reply]]
    when = "overdue"
    code = "print(1)"

A file recorded from a run also has the `seed` of the run's environments, and the `scores`
of its tasks.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from pydantic import Field, ValidationError

from controlplane.agent.model.immutable_data import Frozen
from controlplane.agent.model.scripted_reply import ScriptedReply


class ScriptFile(Frozen):
    """The whole file of replies."""

    reply: tuple[ScriptedReply, ...]
    seed: int | None = None
    """The seed from which the environments of the recorded run were made."""
    scores: Mapping[str, float] = Field(default_factory=dict)
    """The score of each task in the recorded run."""


def read_script_file(path: Path, text: str | None = None) -> ScriptFile:
    """Return the replies of a file.

    If `text` is given, it is used as the file's content, and the file is not read.
    Raises `ValueError` with a message of one line.
    """
    try:
        if text is None:
            text = _text_of(path)
        return ScriptFile.model_validate(tomllib.loads(text))
    except OSError as error:
        msg = f"cannot read the replies file {path}: {error.strerror}"
        raise ValueError(msg) from error
    except ValidationError as error:
        first_fault = error.errors()[0]
        # such as `reply.3.when`
        place = ".".join(str(part) for part in first_fault["loc"])
        msg = f"{path}: {place}: {first_fault['msg']}"
        raise ValueError(msg) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"{path} is not a replies file (TOML with [[reply]] tables): {error}"
        raise ValueError(msg) from error


def _text_of(path: Path) -> str:
    """Return the text of a file. Raises `ValueError` if the path is that of a folder."""
    if path.exists() and not path.is_file():
        msg = f"the replies file {path} is not a file; a TOML file with [[reply]] tables is needed"
        raise ValueError(msg)
    return path.read_text(encoding="utf-8-sig")
