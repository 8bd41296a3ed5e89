"""The files of a candidate, and the settings under which it plays.

A *candidate* is a new version of some files, such as prompts, that an improvement loop tries
out. A *proposer*, a model or a program, writes it. For its run, the files are written into a
folder of their own, and the run's settings name this folder instead of the original files.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from controlplane.agent.loop import FOLDER, PROMPT_FILES
from controlplane.configuration.run_settings import RunSettings
from controlplane.improving.candidates.candidate_id import Texts, id_of
from controlplane.improving.candidates.edited_files import HINTS, PROMPTS
from controlplane.sandbox.files import write_whole

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
