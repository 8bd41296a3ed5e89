"""Takes the result of an improvement loop: the best candidate's texts, as changes of files."""

from __future__ import annotations

from pathlib import Path

from controlplane.agent.loop import FOLDER
from controlplane.errors import UsageError
from controlplane.file_changes import FileChange
from controlplane.improving.candidates import HINTS, PROMPTS, plain_text
from controlplane.improving.loop_record import LoopRecord
from controlplane.program_invocation import invocation
from controlplane.view.answer.file_diff import file_diff


def best_changes(record: LoopRecord, folder: Path | None) -> dict[str, FileChange]:
    """Return the changes that write the best candidate's files, by the files' names.

    They replace the originals or, if a `folder` is given, are written below it.

    Raises `FileChangedSince` if an original has changed since the loop began, or the
    folder has another file of that name. Raises `UsageError` if the loop has not ended,
    or there is no original to replace.
    """
    plan = record.plan
    if record.end is None:
        resume = invocation("resume", plan.loop)
        msg = f"the loop {plan.loop} has not ended; continue with: {resume}"
        raise UsageError(msg)

    changes = {}
    for name, text in record.candidates[record.end.best].items():
        if text == plan.texts[name]:
            continue
        if folder is not None:
            changes[name] = _new_file(folder / name, text)
        else:
            place = _place_of(name, plan.origins[name])
            changes[name] = _replaced_original(place, text, plan.texts[name])
    return changes


def _new_file(place: Path, text: str) -> FileChange:
    """Return the change that writes a text to a new file.

    Raises `FileChangedSince` if there is a file of this name with another text.
    """
    change = FileChange.of(place.parent, place.name, text)
    if change.old_bytes is not None and plain_text(change.old_bytes) != text:
        msg = f"{place} is another file; write elsewhere with --to"
        raise FileChangedSince(msg)
    return change


def _replaced_original(place: Path, text: str, text_then: str) -> FileChange:
    """Return the change that replaces an original by a text.

    Raises `FileChangedSince` if the original is not the text any more that the loop read.
    """
    change = FileChange.of(place.parent, place.name, text)
    if change.old_bytes is not None:
        _check_original(place, change.old_bytes, text_then)
    return change


def _place_of(name: str, origin: str) -> Path:
    """Return the path of the user's file to which a changed text is written: its `origin`.

    Raises `UsageError` if that is a file of the product, or if there was no such file.
    """
    # The product's own prompts are in `FOLDER`.
    is_products = name.startswith(f"{PROMPTS}/") and Path(origin).is_relative_to(FOLDER)
    if not origin or is_products:
        target = HINTS if name == HINTS else "a folder for --prompt"
        msg = f"{name} has no file of yours to write to: name {target} with --to DIR"
        raise UsageError(msg)
    return Path(origin)


class FileChangedSince(UsageError):
    """A file that the best candidate would replace has changed since the loop began."""

    diff: str = ""
    """The file's changes since the loop began; empty if the loop never read the file."""


def _check_original(place: Path, data: bytes, text_then: str) -> None:
    """Raise `FileChangedSince` if the `data` of a file is no longer the text that the loop read.

    Whoever has edited the file meanwhile would lose that change. The error shows it as a diff.
    """
    text_now = plain_text(data)
    if text_now == text_then:
        return
    error = FileChangedSince(
        f"{place} has changed since the loop began; write elsewhere with --to"
    )
    change_since = FileChange(
        place,
        root=place.parent,
        old_bytes=text_then.encode(),
        mode=0,
        new_text=text_now,
    )
    error.diff = file_diff(str(place), change_since).text
    raise error
