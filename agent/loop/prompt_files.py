"""Reads the prompt texts of a run from files, and checks their holes before the run starts.

The product's own texts are Markdown files in `prompts/`. A user may replace all of them by
another folder with files of the same names. A *hole*, such as `{{instruction}}` in
`first_message.md`, is a place that a trial fills.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Final

from controlplane.agent.loop.known_prompts import PROMPT_FILES
from controlplane.agent.loop.prompt_holes import check_holes
from controlplane.agent.loop.prompt_text_file import PromptError, read_text
from controlplane.agent.loop.prompt_texts import Prompts

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
        check_holes(path, texts[name], PROMPT_FILES[name])
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
