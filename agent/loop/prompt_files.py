"""Reads the prompt texts of a run from files, and checks their holes before the run starts.

The product's own texts are Markdown files in `prompts/`. A user may replace all of them by
another folder with files of the same names. A *hole*, such as `{{instruction}}` in
`first_message.md`, is a place that a trial fills.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Final

from controlplane.agent.loop.known_prompts import PROMPT_FILES, PromptFile
from controlplane.agent.loop.prompt_texts import HOLE, Prompts
from controlplane.sandbox.interface import bounds

FOLDER: Final = Path(__file__).parents[2] / "prompts"
"""The folder with the product's own prompts."""


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
    """Return the text of a prompt, or of the user's hints for all trials.

    Raises `PromptError` if it cannot be read, is empty, or is too long.
    """
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
    """Raise `PromptError` for an unknown hole, or if a needed hole is missing.

    The prompt `warning` may only have the hole `{{left}}`, the number of remaining steps.
    """
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
