"""The file of a scripted model, which replies from a file in place of an endpoint.

The file is TOML, with a table for each reply (see `ScriptedReply`). This reply is the script
`print(1)`, for requests whose first message has the word `overdue`:

    [[reply]]
    when = "overdue"
    code = "print(1)"
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import Field, ValidationError

from controlplane.agent.model.immutable_data import Frozen
from controlplane.agent.model.scripted.scripted_reply import ScriptedReply
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.foreign_documents import (
    Unreadable,
    parse_toml,
)


class ScriptFile(Frozen):
    """The whole file of replies."""

    reply: tuple[ScriptedReply, ...]
    """The replies in order."""

    # Only a file that was recorded from a run has these.
    seed: int | None = None
    """The seed from which the environments of the run were made."""
    scores: Mapping[str, float] = Field(default_factory=dict)
    """The score of each task in the run, by its id: `{"loans-1": 1.0}`."""


def read_script_file(path: Path, text: str | None = None) -> ScriptFile:
    """Return the replies of a file.

    If `text` is given, it is used as the file's content, and the file is not read.
    Raises `ValueError` with a message of one line.
    """
    try:
        if text is None:
            text = _text_of(path)
        return ScriptFile.model_validate(
            parse_toml(text, most_bytes=bounds.MOST_LINE_BYTES)
        )
    except OSError as error:
        msg = f"cannot read the replies file {path}: {error.strerror}"
        raise ValueError(msg) from error
    except ValidationError as error:
        first_fault = error.errors()[0]
        # The place of the fault is `reply.3.when`, for example.
        place = ".".join(str(part) for part in first_fault["loc"])
        msg = f"{path}: {place}: {first_fault['msg']}"
        raise ValueError(msg) from error
    except (Unreadable, UnicodeDecodeError) as error:
        msg = f"{path} is not a replies file (TOML with [[reply]] tables): {error}"
        raise ValueError(msg) from error


def _text_of(path: Path) -> str:
    """Return the text of a file. Raises `ValueError` if the path is that of a folder."""
    if path.exists() and not path.is_file():
        msg = f"the replies file {path} is not a file; a TOML file with [[reply]] tables is needed"
        raise ValueError(msg)
    return path.read_text(encoding="utf-8-sig")
