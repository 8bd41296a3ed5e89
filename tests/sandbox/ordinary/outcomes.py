"""Outcomes of scripts in the sandbox and in plain Python, and whether they are the same."""

from typing import NamedTuple


class Outcome(NamedTuple):
    """What a script printed, and the error that ended it, such as `KeyError: 'b'`, or ""."""

    output: str
    error: str


def is_same_error(sandbox_error: str, plain_error: str) -> bool:
    """Compare the last lines of two tracebacks.

    The sandbox may add what to write instead: `KeyError: 'b'; config has the keys a` is the same
    as `KeyError: 'b'`. It describes an exit in words, `SystemExit: the script ended itself (code
    3)`, so that only the kind of the error is compared.
    """
    if plain_error.startswith("SystemExit"):
        return sandbox_error.startswith("SystemExit")
    if sandbox_error == plain_error:
        return True
    return sandbox_error.startswith(f"{plain_error}; ")
