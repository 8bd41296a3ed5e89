"""Reads the prompt texts of a run from files, and checks their holes before the run starts.

The product's own texts are Markdown files in `prompts/`. A user may replace all of them by
another folder with files of the same names. A *hole*, such as `{{instruction}}` in
`first_message.md`, is a place that a trial fills.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from controlplane.agent.loop.prompt_texts import HOLE, Prompts
from controlplane.sandbox.interface import bounds

FOLDER: Final = Path(__file__).parents[2] / "prompts"
"""The folder with the product's own prompts."""


class PromptFile(NamedTuple):
    """What the text of a prompt may and must have."""

    holes: frozenset[str]
    """The names of its holes: `instruction` for the place `{{instruction}}`."""
    needed_hole: str = ""
    """The hole without which the model would not see the request; empty if none is needed."""
    is_optional: bool = False
    """True if a user's folder may leave the prompt out. The product's own is then used."""


SYSTEM_HOLES: Final = frozenset({"form", "example", "harness", "executables"})
"""The form of a reply (JSON or a fence), an example of one, the calls of the object
`harness`, and the executables, which are programs that a script can run."""

PROMPT_FILES: Final[Mapping[str, PromptFile]] = {
    # The system prompt, for environments whose answers cite sources, and for others. Few
    # environments are without citations, so that prompt may be left out.
    "system": PromptFile(SYSTEM_HOLES),
    "uncited": PromptFile(SYSTEM_HOLES, is_optional=True),
    # The text around the request
    "first_message": PromptFile(frozenset({"instruction"}), needed_hole="instruction"),
    # Told to the model some steps before the limit of steps, and at it ("answer now").
    # `left` is the number of remaining steps.
    "warning": PromptFile(frozenset({"left"})),
    "nudge": PromptFile(frozenset({"left"})),
    # Told to the model if little time, or little of its context, is left
    "time": PromptFile(frozenset({"seconds"})),
    "context": PromptFile(frozenset({"tokens"})),
    # Told to the model after a reply without an action
    "unusable": PromptFile(frozenset({"reason"})),
    # The requests of the exoskeleton, the solver whose model calls tools
    "exoskeleton": PromptFile(frozenset({"calls", "executables"})),
    "reminder": PromptFile(frozenset()),
    "classify": PromptFile(frozenset({"fields"})),
    "classify_request": PromptFile(
        frozenset({"instruction"}), needed_hole="instruction"
    ),
    "check_draft": PromptFile(frozenset({"fields"})),
    "format": PromptFile(frozenset({"rules"})),
    "format_request": PromptFile(
        frozenset({"instruction", "message"}), needed_hole="message"
    ),
}
"""The prompts by name. The text of `first_message` is in `first_message.md`."""


class PromptError(Exception):
    """A prompt text is missing, empty or too long, or has a hole that nothing fills."""


@functools.cache
def default_prompts() -> Prompts:
    """Return the product's own prompts. Raises `PromptError`."""
    return read_prompts()


def read_prompts(folder: Path = FOLDER) -> Prompts:
    """Return the prompts of a folder, such as one that a user names by `--prompt`.

    The folder must have every prompt. Raises `PromptError`, which names the file and, for
    a fault in a text, the line.
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
            paths[name] = FOLDER / f"{name}.md"  # the product's own
        else:
            missing.append(path.name)
    if missing:
        msg = (
            f"{folder} has no {', '.join(missing)}; it replaces every prompt: "
            f"copy those to be kept from {FOLDER}"
        )
        raise PromptError(msg)

    texts: dict[str, str] = {}
    for name, path in paths.items():
        texts[name] = read_text(path)
        _check_holes(path, texts[name], PROMPT_FILES[name])
    return Prompts(texts=texts)


MAX_BYTES_PER_CHAR: Final = 4
"""The most bytes of a character in UTF-8."""


def read_text(path: Path) -> str:
    """Return the text of a prompt or of hints. Raises `PromptError`."""
    # Don't read a huge file whole, such as a log that was named by mistake.
    max_bytes = MAX_BYTES_PER_CHAR * bounds.MOST_PROMPT_CHARS
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


def _check_holes(path: Path, text: str, prompt_file: PromptFile) -> None:
    """Raise `PromptError` for an unknown hole, or if a needed hole is missing."""
    for number, line in enumerate(text.splitlines(), start=1):
        for hole in HOLE.finditer(line):
            if hole[1] not in prompt_file.holes:
                known = ", ".join(sorted(prompt_file.holes))
                msg = (
                    f"{path}, line {number}: it has the hole {hole[0]}, which nothing fills "
                    f"(known: {known})"
                )
                raise PromptError(msg)

    if not prompt_file.needed_hole:
        return
    hole_text = "{{" + prompt_file.needed_hole + "}}"
    if hole_text not in text:
        msg = f"{path} lacks the hole {hole_text}, without which the model is not told what is asked"
        raise PromptError(msg)
