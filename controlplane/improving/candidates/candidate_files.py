"""The files that an improvement loop may change, such as prompts.

The loop tries out new versions of these files, the *candidates*. A *proposer*, a model or a
program, writes them, and each is played in a run: its files are in a folder of their own, and
the run's settings name this folder instead of the original files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from controlplane.agent.loop import FOLDER, PROMPT_FILES
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError
from controlplane.improving.candidates.candidate_id import Texts, id_of
from controlplane.sandbox.files import write_whole
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
SETTINGS_WITH_PATHS: Final = (
    "model",
    "agent",
    "rule_sets",
    "benchmark",
    "hints",
    "prompt",
)
"""Settings that may name an edited file."""
READ_ONLY: Final = 0o444


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
    # Files by their names in a candidate: {"hints.txt": "notes/hints.txt"}
    if edits:
        origins: dict[str, str] = {}
        for edit in edits:
            paths = _files_named(edit, settings)
            if not paths:
                msg = (
                    f"--edit {edit}: there is no such file or folder; {PROMPTS} means prompt texts "
                    "of a solver of ours"
                )
                raise UsageError(msg)
            shared_names = sorted(origins.keys() & paths.keys())
            if shared_names:
                msg = (
                    f"--edit {edit}: {shared_names[0]} would be two files of one name; rename one, "
                    "or name a folder with both"
                )
                raise UsageError(msg)
            origins |= paths
    else:
        # A proposer may be a model of another company. So it gets no further files of the working
        # folder unless the user names them.
        origins = _prompt_files(settings) | {HINTS: settings.hints}

    absolute = {}
    texts = {}
    for name, origin in origins.items():
        absolute[name] = str(Path(origin).absolute()) if origin else ""
        texts[name] = _text_of(origin) if origin else ""
    return EditedFiles(absolute, texts)


def _files_named(edit: str, settings: RunSettings) -> dict[str, str]:
    """Return the paths of the files that one `--edit` names, by their names in a candidate.

    It names a file or folder, the prompt texts (`prompts`), or the hints (`hints.txt`).
    """
    path = Path(edit)
    if not path.exists():
        if edit == PROMPTS:
            return _prompt_files(settings)
        if edit == HINTS:
            return {HINTS: settings.hints}
        return {}

    is_hints = bool(settings.hints) and path.is_file() and path.samefile(settings.hints)
    if is_hints:
        return {HINTS: edit}
    files = {}
    for file in (path, *sorted(path.rglob("*"))):
        if file.is_file():
            files[str(file.relative_to(path.parent))] = str(file)
    return files


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


# A candidate's folder


def candidate_folder(loop_folder: Path, texts: Texts) -> Path:
    """Return the folder of a candidate's files. Its name is a hash of them."""
    return loop_folder / "candidates" / id_of(texts)


def candidate_settings(
    settings: RunSettings,
    changes: Mapping[str, object],
    texts: Texts,
    origins: Mapping[str, str],
    folder: Path,
) -> RunSettings:
    """Write a candidate's files into `folder`, and return the settings under which it plays.

    They are the loop's `settings` with `changes`, and name the candidate's files instead
    of the originals. `texts` are the candidate's texts, and `origins` the paths of the
    original files, both by names such as `prompts/system.md`.
    """
    _write_candidate(settings, texts, folder)
    values: dict[str, Any] = settings.model_dump()
    values |= changes
    for name, origin in origins.items():
        if name.startswith(f"{PROMPTS}/"):
            values["prompt"] = str(folder / PROMPTS)
        elif name == HINTS:
            has_hints = bool(texts[HINTS].strip())
            values["hints"] = str(folder / HINTS) if has_hints else ""
        else:
            # The path may be a part of a value, as in `scripted:scripts.jsonl`.
            for setting in SETTINGS_WITH_PATHS:
                values[setting] = _with_copy(
                    values[setting], origin, str(folder / name)
                )
    return RunSettings.model_validate(values)


def _write_candidate(settings: RunSettings, texts: Texts, folder: Path) -> None:
    """Write a candidate's files into its folder, all of them read-only."""
    files = {}
    if any(name.startswith(f"{PROMPTS}/") for name in texts):
        # The setting `prompt` names a folder of all prompts, also of those that are not edited.
        # `FOLDER` has the product's own prompts. `PROMPT_FILES` has the name of every prompt as a key.
        prompts = Path(settings.prompt or FOLDER)
        for name in PROMPT_FILES:
            files[f"{PROMPTS}/{name}.md"] = (prompts / f"{name}.md").read_text("utf-8")
    files |= texts
    for name, text in files.items():
        write_whole(folder / name, text.encode(), folder, mode=READ_ONLY)


def _with_copy(value: str, origin: str, copy: str) -> str:
    """Return the value of a setting with the path of a file replaced by that of its copy.

    `origin` is the file's absolute path. The setting may name it by a relative path.
    """
    if origin in value:
        return value.replace(origin, copy)
    if Path(origin).is_relative_to(Path.cwd()):
        relative = str(Path(origin).relative_to(Path.cwd()))
        return value.replace(relative, copy)
    return value
