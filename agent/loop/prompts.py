"""The texts that are sent to models, and the other settings that all trials of a run share."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import re2

from controlplane.agent.model import Frozen
from controlplane.sandbox import ALL_LAYERS, Layer, Limits
from controlplane.sandbox.interface import bounds

# Reads the prompt texts of a run from files, and checks their holes before the run starts.
#
# The product's own texts are Markdown files in `prompts/`. A user may replace all of them by
# another folder with files of the same names. A *hole*, such as `{{instruction}}` in
# `first_message.md`, is a place that a trial fills.

# The prompts that a run has, and which holes each of them may and must have.
#
# A prompt is a Markdown file, such as `first_message.md`. A *hole* in it, such as
# `{{instruction}}`, is a place that a trial fills.


class _PromptFile(NamedTuple):
    """What the text of a prompt may and must have."""

    holes: tuple[str, ...]
    """The names of its holes: `instruction` for the place `{{instruction}}`."""
    needed_hole: str = ""
    """The hole without which the model would not see the request; empty if none is needed."""
    is_optional: bool = False
    """True if a user's folder may leave the prompt out. The product's own is then used."""


_SYSTEM_HOLES: Final = (
    "form",
    "example",
    "harness",
    "executables",
    "done",
    "outcomes",
)
"""The form of a reply (JSON or a fence), an example of one, the calls of the object
`harness`, the executables, which are programs that a script can run, the outcome of an answered
request, and all outcomes with their meanings."""

PROMPT_FILES: Final[Mapping[str, _PromptFile]] = {
    # The system prompt, for environments whose answers cite sources, and for others. Few
    # environments are without citations, so that prompt may be left out.
    "system": _PromptFile(_SYSTEM_HOLES),
    "uncited": _PromptFile(_SYSTEM_HOLES, is_optional=True),
    # The text around the request
    "first_message": _PromptFile(("instruction",), needed_hole="instruction"),
    # Told to the model some steps before the limit of steps, and at it ("answer now").
    # `left` is the number of remaining steps.
    "warning": _PromptFile(("left",)),
    "nudge": _PromptFile(("left",)),
    # Told to the model if little time, or little of its context, is left
    "time": _PromptFile(("seconds",)),
    "context": _PromptFile(("tokens",)),
    # Told to the model after a reply without an action
    "unusable": _PromptFile(("reason",)),
    # The requests of the exoskeleton, the solver whose model calls tools
    "exoskeleton": _PromptFile(("calls", "executables", "outcomes")),
    "reminder": _PromptFile(()),
    "classify": _PromptFile(("fields",)),
    "classify_request": _PromptFile(("instruction",), needed_hole="instruction"),
    "check_draft": _PromptFile(("fields",)),
    "format": _PromptFile(("rules",)),
    "format_request": _PromptFile(("instruction", "message"), needed_hole="message"),
}
"""The prompts by name. The text of `first_message` is in `first_message.md`."""


# Reads a text that is sent to the model from a file of the user, such as `first_message.md`.
#
# The file may be named by mistake. So what cannot be read, is empty or is too long is an error
# whose message names the file.


class PromptError(Exception):
    """A prompt text is missing, empty or too long, or has a hole that nothing fills."""


_MAX_BYTES_PER_CHAR: Final = 4
"""The most bytes of a character in UTF-8."""


def read_text(path: Path) -> str:
    """Return the text of a prompt, or of the user's hints for all trials.

    Raises `PromptError` if it cannot be read, is empty, or is too long.
    """
    # Don't read a huge file whole, such as a log that was named by mistake.
    max_bytes = _MAX_BYTES_PER_CHAR * bounds.MOST_PROMPT_CHARS
    try:
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror}"
        raise PromptError(msg) from error

    # A file that is too long may be cut in the middle of a character.
    is_cut = len(content) > max_bytes
    try:
        text = content.decode(errors="replace" if is_cut else "strict")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        msg = f"{path}, line {line}: it is not UTF-8 text"
        raise PromptError(msg) from error

    if len(text) > bounds.MOST_PROMPT_CHARS:
        size = f"{bounds.MOST_PROMPT_CHARS:,} characters"
        msg = f"{path} is longer than {size}, which every first request would carry; shorten it"
        raise PromptError(msg)
    if not text.strip():
        msg = f"{path} is empty"
        raise PromptError(msg)
    return text.replace("\r\n", "\n")


# The prompt texts of a run, with holes such as `{{instruction}}`, which a trial fills.

_HOLE: Final = re2.compile(r"\{\{(\w+)\}\}")
"""Matches a hole such as `{{instruction}}`. Group 1 is its name."""
_DIGEST_CHARS: Final = 16
"""Characters of a digest (a hash), enough to tell the prompts of runs apart."""


class Prompts(Frozen):
    """All prompt texts of a run, and the user's hints."""

    texts: dict[str, str]
    """The text of each prompt, by name."""
    hints: str = ""
    """The user's hints, which are added unchanged at the end of the system prompt."""

    def filled(self, name: str, **values: object) -> str:
        """Return the prompt `name` with its holes filled. A hole without a value stays."""

        def value_of(hole: Any) -> str:
            return str(values.get(hole[1], hole[0]))

        return str(_HOLE.sub(value_of, self.texts[name]))

    def with_hints(self, system: str) -> str:
        """Return a system prompt with the user's hints at its end."""
        return f"{system}\n{self.hints}" if self.hints else system

    @property
    def digest(self) -> str:
        """A hash of all texts, with which a journal identifies the prompts of its run."""
        parts: list[str] = []
        for name in sorted(self.texts):
            parts += [name, self.texts[name]]
        parts.append(self.hints)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_DIGEST_CHARS]


# Checks the holes of a prompt before a run: the places that each trial fills.
#
# With a misspelled hole, the model would read `{{instuction}}` instead of the request, in every
# trial. For the prompt `warning`, which may have the hole `left`, the number of remaining steps:
#
#     "{{left}} steps are left"   -> nothing
#     "{{lef}} steps are left"    -> raises "warning.md, line 1: it has the hole {{lef}}, which ..."


def _check_holes(path: Path, text: str, prompt_file: _PromptFile) -> None:
    """Raise `PromptError` for an unknown hole, or if a needed hole is missing."""
    for number, line in enumerate(text.splitlines(), start=1):
        for hole in _HOLE.finditer(line):
            if hole[1] not in prompt_file.holes:
                known = ", ".join(sorted(prompt_file.holes))
                msg = (
                    f"{path}, line {number}: it has the hole {hole[0]}, which nothing fills "
                    f"(known: {known})"
                )
                raise PromptError(msg)

    hole_text = "{{" + prompt_file.needed_hole + "}}"
    if prompt_file.needed_hole and hole_text not in text:
        msg = f"{path} lacks the hole {hole_text}, without which the model is not told what is asked"
        raise PromptError(msg)


FOLDER: Final = Path(__file__).parents[2] / "prompts"
"""The folder with the product's own prompts."""


@functools.cache
def default_prompts() -> Prompts:
    """Return the product's own prompts. Raises `PromptError`."""
    return read_prompts()


def read_prompts(folder: Path = FOLDER) -> Prompts:
    """Return the prompts of a folder, such as one that a user names by `--prompt`.

    Raises `PromptError`, which names the file and, for a fault in a text, the line.
    """
    texts: dict[str, str] = {}
    for name, path in _prompt_paths(folder).items():
        texts[name] = read_text(path)
        _check_holes(path, texts[name], PROMPT_FILES[name])
    return Prompts(texts=texts)


def _prompt_paths(folder: Path) -> dict[str, Path]:
    """Return the file of each prompt in a folder, by the prompt's name.

    If the folder lacks an optional prompt, its file is the product's own. Raises
    `PromptError` if the folder lacks another one, or if there is no such folder.
    """
    if not folder.is_dir():
        msg = f"there is no folder {folder}"
        raise PromptError(msg)

    paths: dict[str, Path] = {}
    missing: list[str] = []
    for name, prompt_file in PROMPT_FILES.items():
        path = folder / f"{name}.md"
        if path.exists():
            paths[name] = path
        elif prompt_file.is_optional:
            paths[name] = FOLDER / f"{name}.md"
        else:
            missing.append(path.name)
    if missing:
        msg = (
            f"{folder} has no {', '.join(missing)}; it replaces every prompt: "
            f"copy those to be kept from {FOLDER}"
        )
        raise PromptError(msg)
    return paths


# The settings of a solver that every trial of a run shares, beside the limits of trials.
#
# For example, a first message has at most 120,000 characters of documents.


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """Settings that every trial of a run shares."""

    initial_prompt_chars: int = 120_000
    """Max characters of documents and listings in the initial prompt."""
    limits: Limits = field(default_factory=Limits)
    """What one script may use: its time, its memory and its output."""
    isolation: frozenset[Layer] = ALL_LAYERS
    """The layers that keep scripts apart from the machine, such as a process without rights."""
    switches_reply_mode: bool = True
    """True if the model may be asked in another reply mode (JSON,
    tool call or text) after three replies with the same fault."""
    replies_in_fences: bool = False
    """True if the model is asked for scripts in ```python fences instead of JSON, from
    the start. It is not asked in another reply mode then."""
    prompts: Prompts = field(default_factory=default_prompts)
    """The texts sent to the model."""
