"""The texts sent to a model, with holes that a trial fills. The product's own texts are in `prompts/`."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import re2

from agent.model.model_protocol import Frozen

FOLDER: Final = Path(__file__).parents[2] / "prompts"
"""The folder beside this package; a folder `prompts` in the working directory is not used."""
HOLES: Final[Mapping[str, frozenset[str]]] = {
    "system": frozenset({"harness", "executables"}),
    "uncited": frozenset({"harness", "executables"}),
    "first_message": frozenset({"instruction"}),
    "warning": frozenset({"left"}),
    "nudge": frozenset({"left"}),
    "time": frozenset({"seconds"}),
    "context": frozenset({"tokens"}),
    "unusable": frozenset({"reason"}),
    "exoskeleton": frozenset({"calls", "executables"}),
    "reminder": frozenset(),
    "classify": frozenset({"fields"}),
    "classify_request": frozenset({"instruction"}),
    "review": frozenset({"fields"}),
    "format": frozenset({"rules"}),
    "format_request": frozenset({"instruction", "message"}),
}
"""Every prompt, and the holes that its callers fill."""
NEEDED: Final = {
    "first_message": "instruction",
    "classify_request": "instruction",
    "format_request": "message",
}
"""Holes that a prompt must have, or the model would not learn what is asked."""
OLDER_NAME: Final = "turn_one"
"""The first message's name in folders that were made for an earlier version."""
MOST_CHARS: Final = 32_000
"""Max characters of a prompt, and of hints: a longer file is probably a mistake."""
_HOLE: Final = re2.compile(r"\{\{(\w+)\}\}")


class PromptError(Exception):
    """A prompt text is missing, empty or too long, or has a hole that nothing fills."""


class Prompts(Frozen):
    """All prompt texts of a run, by name, and what its owner adds to the system prompt."""

    texts: dict[str, str]
    hints: str = ""
    """Ends the system prompt, unchanged."""

    def filled(self, name: str, **values: object) -> str:
        """Return the prompt `name` with its holes filled."""
        return str(_HOLE.sub(lambda hole: str(values.get(hole[1], hole[0])), self.texts[name]))

    def with_hints(self, system: str) -> str:
        """Return a system prompt with the owner's hints at its end."""
        return f"{system}\n{self.hints}" if self.hints else system

    @property
    def digest(self) -> str:
        """A hash of all texts, by which a journal identifies the texts of its run."""
        parts = [part for name in sorted(self.texts) for part in (name, self.texts[name])]
        return hashlib.sha256("\0".join((*parts, self.hints)).encode()).hexdigest()[:16]


@functools.cache
def default_prompts() -> Prompts:
    """Return the product's own texts. Raises `PromptError`."""
    return read_prompts()


def read_prompts(folder: Path = FOLDER) -> Prompts:
    """Return the texts of a folder. Raises `PromptError` naming the file, and the line where there is one."""
    if not folder.is_dir():
        msg = f"there is no folder {folder}"
        raise PromptError(msg)
    has_uncited = folder == FOLDER or (folder / "uncited.md").exists()  # Folders made before it was keep the product's.
    own = [name for name in HOLES if name != "uncited" or has_uncited]
    missing = [f"{name}.md" for name in own if not _file(folder, name).exists()]
    if missing:
        msg = f"{folder} has no {', '.join(missing)}; it replaces every prompt: copy those to be kept from {FOLDER}"
        raise PromptError(msg)
    texts = {name: read_text(_file(folder if name in own else FOLDER, name)) for name in HOLES}
    for name, text in texts.items():
        _check_holes(_file(folder, name), text, name)
    return Prompts(texts=texts)


def _file(folder: Path, name: str) -> Path:
    """Return the file of a prompt; a folder made for an earlier version names the first message as it did."""
    older = folder / f"{OLDER_NAME}.md"
    return older if name == "first_message" and older.exists() else folder / f"{name}.md"


def read_text(path: Path) -> str:
    """Return the text of a prompt or of hints. Raises `PromptError`."""
    try:
        with path.open("rb") as file:
            content = file.read(4 * MOST_CHARS + 1)  # no character of UTF-8 has more than four bytes
        text = content.decode(errors="replace" if len(content) > 4 * MOST_CHARS else "strict")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        msg = f"{path}, line {line}: it is not UTF-8 text"
        raise PromptError(msg) from error
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror}"
        raise PromptError(msg) from error
    if len(text) > MOST_CHARS:
        msg = f"{path} is longer than {MOST_CHARS:,} characters, which every first request would carry; shorten it"
        raise PromptError(msg)
    if not text.strip():
        msg = f"{path} is empty"
        raise PromptError(msg)
    return text.replace("\r\n", "\n")


def _check_holes(path: Path, text: str, name: str) -> None:
    """Raise `PromptError` for a hole in `text` that nothing fills, and for a required hole that is missing."""
    names = ", ".join(sorted(HOLES[name]))
    for number, line in enumerate(text.splitlines(), start=1):
        for hole in _HOLE.finditer(line):
            if hole[1] not in HOLES[name]:
                msg = f"{path}, line {number}: it has the hole {hole[0]}, which nothing fills (known: {names})"
                raise PromptError(msg)
    needed = NEEDED.get(name)
    if needed and f"{{{{{needed}}}}}" not in text:
        msg = f"{path} lacks the hole {{{{{needed}}}}}, without which the model is not told what is asked"
        raise PromptError(msg)
