"""The files that an improvement loop may change, by the names that its user gives.

`--edit prompts --edit notes/hints.txt --edit my_solver/` lets the loop try new versions of the
solver's prompt texts, of the user's hints for the model, and of the files of a folder. Each file
has a short name in the loop:

| `--edit` | names in the loop |
|---|---|
| `prompts` | `prompts/system.md`, `prompts/first_message.md` |
| the file of the setting `hints`, or `hints.txt` if there is none | `hints.txt` |
| any other file, such as `texts/tone.md` | `tone.md` |
| a folder, such as `my/solver` | `solver/plan.py`, `solver/parts/steps.py` |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controlplane.agent.loop import FOLDER
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError
from controlplane.text_files import decode_text

PROMPTS: Final = "prompts"
"""What `--edit` calls the prompt texts, and their folder in a candidate."""
HINTS: Final = "hints.txt"
"""What `--edit` calls the user's hints for the model, and their file in a candidate."""
PROMPTS_OF_SOLVERS: Final[Mapping[str, tuple[str, ...]]] = {
    "cited": ("system", "first_message"),
    "exoskeleton": ("exoskeleton", "classify", "check_draft", "format"),
}
"""The prompt texts that each of the product's own solvers sends in every trial."""


@dataclass(frozen=True, slots=True)
class EditedFiles:
    """The files that a loop may change."""

    origins: Mapping[str, str]
    """The absolute path of each file, by its name in a candidate, such as `prompts/system.md`.

    The path is empty if there is no such file yet.
    """
    texts: Mapping[str, str]
    """The text of each file, by the same names."""


def edited_files(edits: Sequence[str], settings: RunSettings) -> EditedFiles:
    """Return the files that `--edit` names: by default the solver's prompt texts and the hints.

    The user may have no file of hints yet. Then it has no origin and an empty text, which a
    candidate may fill. Raises `UsageError` for a name that is neither `prompts` nor a file or
    folder, for two files of one name, and for a file that cannot be read.
    """
    if edits:
        paths = _paths_of_edits(edits, settings)
    else:
        # A proposer may be a model of another company. So it gets no further files of the working
        # folder unless the user names them.
        paths = _prompt_files(settings) | {HINTS: settings.hints}

    origins = {}
    texts = {}
    for name, path in paths.items():
        if path:
            origins[name] = str(Path(path).absolute())
            texts[name] = _text_of(path)
        else:
            origins[name] = ""
            texts[name] = ""
    return EditedFiles(origins, texts)


def _paths_of_edits(edits: Sequence[str], settings: RunSettings) -> dict[str, str]:
    """Return the paths of all files that the user names, by their names in the loop.

    Raises `UsageError` if a name means no file, or if two files would have the same name.
    """
    all_paths: dict[str, str] = {}
    for edit in edits:
        paths = _paths_of_edit(edit, settings)
        if not paths:
            msg = (
                f"--edit {edit}: there is no such file or folder; {PROMPTS} means prompt texts "
                "of a solver of ours"
            )
            raise UsageError(msg)
        shared_names = sorted(all_paths.keys() & paths.keys())
        if shared_names:
            msg = (
                f"--edit {edit}: {shared_names[0]} would be two files of one name; rename one, "
                "or name a folder with both"
            )
            raise UsageError(msg)
        all_paths |= paths
    return all_paths


def _paths_of_edit(edit: str, settings: RunSettings) -> dict[str, str]:
    """Return the paths of the files that one `--edit` names, by their names in the loop.

    Returns nothing if there is no such file or folder.
    """
    path = Path(edit)
    # The user's own file or folder `prompts` goes before the meaning of that word here.
    if not path.exists():
        if edit == PROMPTS:
            return _prompt_files(settings)
        if edit == HINTS:
            return {HINTS: settings.hints}
        return {}

    # The file of hints may have any name, but there is only one such file in the loop.
    is_hints = bool(settings.hints) and path.is_file() and path.samefile(settings.hints)
    if is_hints:
        return {HINTS: edit}
    if path.is_file():
        return {path.name: edit}
    paths = {}
    for file in sorted(path.rglob("*")):
        if file.is_file():
            paths[str(file.relative_to(path.parent))] = str(file)
    return paths


def _prompt_files(settings: RunSettings) -> dict[str, str]:
    """Return the files of the solver's prompt texts; none for a solver of the user's own."""
    folder = Path(settings.prompt or FOLDER)
    files = {}
    for name in PROMPTS_OF_SOLVERS.get(settings.agent, ()):
        files[f"{PROMPTS}/{name}.md"] = str(folder / f"{name}.md")
    return files


def _text_of(path: str) -> str:
    """Return the text of a file that the user wants to have edited. Raises `UsageError`."""
    try:
        return plain_text(Path(path).read_bytes())
    except OSError as error:
        msg = f"--edit {path}: it cannot be read as text ({error.strerror})"
        raise UsageError(msg) from error


def plain_text(data: bytes) -> str:
    """Return the text of a user's file as candidates have it: its lines end with line feeds."""
    return decode_text(data).text.replace("\r\n", "\n")
