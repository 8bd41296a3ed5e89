"""How the script of a step ended: refused, failed or finished, and with which fault."""

from __future__ import annotations

from controlplane.sandbox import Ending


def is_failure(ending: str) -> bool:
    """Return True if the script was refused, raised an error, or was stopped."""
    return ending != Ending.FINISHED


def was_refused(ending: str) -> bool:
    """Return True if the script was refused before it ran."""
    return ending in (Ending.SYNTAX, Ending.REFUSED)


def fault_of(ending: str, error: str) -> str:
    """Return the last line of an error, such as `KeyError: 'fee'`; without one, the ending."""
    lines = error.strip().splitlines()
    return lines[-1].strip() if lines else ending


def repeated_failure_note(ending: str, error: str) -> str:
    """Return the note about a script that failed with the same error as the script before."""
    return (
        f"<note>\nThis script failed like the one before: {fault_of(ending, error)}\n"
        "Change the line that failed, or find the answer in another way.\n</note>\n"
    )
