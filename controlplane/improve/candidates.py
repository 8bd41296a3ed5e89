"""Candidates of a loop: sets of edited files, each an immutable folder that is named by the hash of its files.

Only the files that the user listed are in a candidate, so nothing else can change.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from agent.loop import FOLDER, HOLES, PromptError, read_prompts
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError

Texts: TypeAlias = Mapping[str, str]
"""The text of each edited file, by its name in a candidate's folder."""

PROMPTS: Final = "prompts"
"""What `--edit` calls the prompt texts, and their folder in a candidate."""
HINTS: Final = "hints.txt"
PROMPTS_OF_SOLVERS: Final[Mapping[str, tuple[str, ...]]] = {
    "cited": ("system", "turn_one"),
    "exoskeleton": ("exoskeleton", "classify", "parse", "review", "format"),
}
"""The prompt texts that a solver of ours sends in every trial, by its name."""
MAX_FILES: Final = 50
MAX_CHARS: Final = 100_000
"""Characters of one edited file."""
NAMING: Final = ("model", "agent", "rules", "benchmark", "hints", "prompt")
"""Settings that may name an edited file."""


@dataclass(frozen=True, slots=True)
class EditedFile:
    """One file that the loop may change."""

    name: str
    """Its name in a candidate's folder."""
    origin: str
    """The path from which it was read, and to which `apply` writes; empty for a text that no file holds yet."""


@dataclass(frozen=True, slots=True)
class EditedFiles:
    """All files that the loop may change, with their texts at its start."""

    files: tuple[EditedFile, ...]
    texts: Texts


def edited_files(edits: Sequence[str], settings: RunSettings) -> EditedFiles:
    """Return the files that `--edit` names: by default the prompt texts of the solver and the hints.

    Raises `UsageError` for a name that is neither `prompts` nor a file or folder, and for what is not text.
    """
    files: dict[str, str] = {}
    for edit in edits or (PROMPTS, HINTS):
        path = Path(edit)
        if edit == PROMPTS and not path.exists():
            folder = Path(settings.prompt) if settings.prompt else FOLDER
            for name in PROMPTS_OF_SOLVERS.get(settings.agent, ()):
                files[f"{PROMPTS}/{name}.md"] = str(folder / f"{name}.md")
        elif edit == HINTS and not path.exists():
            files[HINTS] = settings.hints
        elif path.is_dir():
            base = path.parent
            files |= {str(each.relative_to(base)): str(each) for each in sorted(path.rglob("*")) if each.is_file()}
        elif path.is_file():
            files[HINTS if settings.hints and path.samefile(settings.hints) else path.name] = str(path)
        else:
            msg = f"--edit {edit}: there is no such file or folder; {PROMPTS} means the prompt texts"
            raise UsageError(msg)
    if not files:
        msg = (
            f"nothing can be edited: the solver {settings.agent} sends no prompt texts of ours; name files with --edit"
        )
        raise UsageError(msg)
    if len(files) > MAX_FILES:
        msg = f"--edit names {len(files)} files; a loop edits at most {MAX_FILES}"
        raise UsageError(msg)
    texts = {name: _text_of(origin) if origin else "" for name, origin in files.items()}
    return EditedFiles(tuple(EditedFile(name, origin) for name, origin in files.items()), texts)


def _text_of(origin: str) -> str:
    try:
        text = Path(origin).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"--edit {origin}: it cannot be read as text ({error})"
        raise UsageError(msg) from error
    if len(text) > MAX_CHARS:
        msg = f"--edit {origin}: it has more than {MAX_CHARS:,} characters"
        raise UsageError(msg)
    return text


def id_of(texts: Texts) -> str:
    """Return the id of a candidate: a hash over the names and texts of its files, 12 hexadecimal digits."""
    parts = [part for name in sorted(texts) for part in (name, texts[name])]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:12]


class CandidateStore:
    """The candidates of one loop, each in a folder below `root`."""

    def __init__(self, root: Path, prompts: Path) -> None:
        """`prompts` is the folder of the prompt texts that a candidate does not edit."""
        self._root = root
        self._prompts = prompts

    def folder_of(self, texts: Texts) -> Path:
        """Return the folder of a candidate, written whole or not at all; its files are never written again."""
        folder = self._root / id_of(texts)
        if folder.exists():
            return folder
        making = self._root / f".{folder.name}-{os.getpid()}"
        shutil.rmtree(making, ignore_errors=True)
        if any(name.startswith(f"{PROMPTS}/") for name in texts):
            (making / PROMPTS).mkdir(parents=True)
            for name in HOLES:
                shutil.copyfile(self._prompts / f"{name}.md", making / PROMPTS / f"{name}.md")
        write_files(making, texts)
        for path in making.rglob("*"):
            if path.is_file():
                path.chmod(0o444)
        making.rename(folder)
        return folder

    def fault_of(self, texts: Texts) -> str:
        """Return why a candidate cannot be played, in one line; empty if it can."""
        if any(len(text) > MAX_CHARS for text in texts.values()):
            return f"a file has more than {MAX_CHARS:,} characters"
        if not any(name.startswith(f"{PROMPTS}/") for name in texts):
            return ""
        folder = self.folder_of(texts)
        try:
            read_prompts(folder / PROMPTS)
        except PromptError as error:
            shutil.rmtree(folder)
            return str(error).replace(f"{folder}{os.sep}", "")
        return ""

    def settings_of(self, texts: Texts, settings: RunSettings, files: Iterable[EditedFile]) -> RunSettings:
        """Return the settings under which this candidate plays: they name its files in place of the originals."""
        folder = self.folder_of(texts)
        changes: dict[str, str] = {}
        if any(name.startswith(f"{PROMPTS}/") for name in texts):
            changes["prompt"] = str(folder / PROMPTS)
        if HINTS in texts:
            changes["hints"] = str(folder / HINTS) if texts[HINTS].strip() else ""
        for file in files:
            if file.name == HINTS or file.name.startswith(f"{PROMPTS}/") or not file.origin:
                continue
            place = str(folder / file.name)
            for setting in NAMING:
                value = changes.get(setting, getattr(settings, setting))
                if file.origin in value and setting not in changes:
                    changes[setting] = value.replace(file.origin, place)
        return RunSettings.model_validate(settings.model_dump() | changes)


def write_files(folder: Path, texts: Texts) -> None:
    """Write the files of a candidate below `folder`, which may be made."""
    for name, text in texts.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def files_below(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the texts of these files below a folder; a file that is missing or is no text keeps out."""
    found: dict[str, str] = {}
    for name in names:
        place = folder / name
        if place.is_file() and not place.is_symlink():
            try:
                found[name] = place.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
    return found


def diff_lines(before: Texts, after: Texts) -> Iterator[str]:
    """Yield the lines of a unified diff of two candidates, file by file."""
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, ""), after.get(name, "")
        if old != new:
            yield from (
                line.rstrip("\n")
                for line in difflib.unified_diff(
                    old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{name}", f"b/{name}", n=2
                )
            )
