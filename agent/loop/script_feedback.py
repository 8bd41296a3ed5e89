"""Notes for the model after a script: it failed as before, it did not submit, it looked for a folder's file."""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.sandbox import Ending
from controlplane.sandbox.interface import Plain


def is_failure(ending: str) -> bool:
    """Return True if a script that ended in this way was refused, raised or was stopped."""
    return ending != Ending.FINISHED


def repeated_failure_note(ending: str, error: str) -> str:
    """Return the note on a script that failed as the same script in the step before did."""
    lines = error.strip().splitlines()
    fault = lines[-1].strip() if lines else ending
    return (
        f"<note>\nThis is the script of the step before, and it failed in the same way: {fault}\n"
        "Change the line that failed, or find the answer in another way.\n</note>\n"
    )


def unsubmitted_note(before: Mapping[str, Plain], after: Mapping[str, Plain]) -> str:
    """Return the note on an answer that a script set without submitting it; empty if it set none.

    `before` and `after` are the scratchpad before and after the script.
    """
    answer = after.get("answer")
    if not answer or answer == before.get("answer"):
        return ""
    missing = []
    if not after.get("outcome"):
        missing.append('set scratchpad["outcome"]')
    if not after.get("refs_why"):
        missing.append("cite the files that support it")
    missing.append("define verify(sp) and call harness.answer(scratchpad, verify)")
    return (
        '<note>\nscratchpad["answer"] is set, but nothing was submitted. '
        f"To submit it, {', '.join(missing)}.\n</note>\n"
    )


def find_note(
    operation: str, arguments: Mapping[str, Plain], result: Mapping[str, Plain], can_read: bool
) -> str:
    """Return the note on a `find` that was given a path, which fits no base name; else empty."""
    name = arguments.get("name")
    if operation != "find" or not isinstance(name, str) or result.get("paths") != []:
        return ""
    folder, slash, base_name = name.rpartition("/")
    if not slash or not base_name:
        return ""
    note = f"find fits base names, so {name[:200]!r} fits nothing"
    has_pattern = any(character in name for character in "*?[")
    if can_read and not has_pattern:
        return f'{note}: write harness.read("/{name[:200].lstrip("/")}").'
    root = "/" + folder[:200].strip("/")
    return f'{note}: write harness.find("{base_name[:200]}", root="{root}").'
