"""The errors that end a command, with their exit codes, and parts of their messages.

ControlPlaneError
├── UsageError            2   a wrong option, name or file
│   └── NotAJournal       2   the file is not a journal
├── Unreachable           3   the platform or the model cannot be reached, or refuses
├── JournalUnwritable     3   the journal cannot be written
├── BudgetExhausted       4   a budget of the run is used up
├── JournalDamaged        5   the journal's hash chain is broken
├── ReplayDiverged        5   a replay differs from the record
├── ChangesProposed       6   changes are shown and not made: nobody can be asked to consent
└── Interrupted         130   the user stopped the command

Exit code 1 is a result: a trial did not start, did not end, or ended with its fallback answer.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import shlex
import shutil
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Final


class ControlPlaneError(Exception):
    """An error whose message is one line: what is wrong, the value, and what to do."""

    exit_code: ClassVar[int] = 1
    leaves_step: ClassVar[bool] = True
    """If a call of a model's script raises this error, the whole step ends.
    Any other exception only makes the call fail, and the script goes on."""


class UsageError(ControlPlaneError):
    """An option, name or file is wrong."""

    exit_code = 2


@contextmanager
def as_usage_error(place: str, *kinds: type[Exception]) -> Iterator[None]:
    """Convert errors of these kinds to `UsageError`, with `place` before their messages."""
    try:
        yield
    except kinds as error:
        text: object = error
        if isinstance(error, OSError) and error.strerror:
            # Without the number of the error and the file's name.
            text = error.strerror
        msg = f"{place}: {text}"
        raise UsageError(msg) from error


def extra_module(name: str, use: str, extra: str = "") -> Any:
    """Return a module that an optional package installs.

    Raises `UsageError` with the command that installs it.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        install = (
            f"in a clone, .venv/bin/pip install -e '.[{extra}]'"
            if extra
            else f"pip install {name}"
        )
        msg = f"{use} needs the package {error.name!r}: {install}"
        raise UsageError(msg) from error


class NotAJournal(UsageError):
    """The file is not a journal."""


class Unreachable(ControlPlaneError):
    """The platform or the model cannot be reached, or refuses."""

    exit_code = 3


class JournalUnwritable(ControlPlaneError):
    """The journal cannot be written."""

    exit_code = 3


class BudgetExhausted(ControlPlaneError):
    """A budget of the run is used up."""

    exit_code = 4


class JournalDamaged(ControlPlaneError):
    """The journal's hash chain is broken."""

    exit_code = 5


class ReplayDiverged(ControlPlaneError):
    """A replay differs from the record."""

    exit_code = 5


class ChangesProposed(ControlPlaneError):
    """Changes are shown and not made: --apply was not given, and nobody can be asked."""

    exit_code = 6


class Interrupted(ControlPlaneError):
    """The user stopped the command."""

    exit_code = 130


class ServerFailed(Exception):
    """A server did not start, or did not list its tools."""


def nearest_name(name: str, names: Iterable[str], *, least: float = 0.6) -> str:
    """Return the name most similar to `name`; empty if no similarity reaches `least` (0 to 1)."""
    from difflib import get_close_matches  # needed only for a wrong name

    matches = get_close_matches(name, list(names), n=1, cutoff=least)
    if not matches:
        return ""
    return matches[0]


def did_you_mean(name: str, names: Iterable[str], *, most: int | None = None) -> str:
    """Return a hint at known names, to be added to a message.

    It is `; did you mean …?` with the most similar name, else `; known: …` with `most` names.
    """
    names = list(dict.fromkeys(names))
    close = nearest_name(name, names, least=0.5)
    if close:
        return f"; did you mean {close!r}?"
    text = f"; known: {', '.join(names[:most]) or 'none'}"
    if most is not None and len(names) > most:
        text += f" and {len(names) - most} more"
    return text


def invocation(*words: str) -> str:
    """Return a shell command that starts this program with the arguments `words`."""
    return " ".join((_program(), *(shlex.quote(word) for word in words)))


def _program() -> str:
    """Return the shortest shell text that starts this program."""
    name_of_start_script = os.environ.get("CONTROLPLANE_CALLED_AS", "")
    if name_of_start_script:
        # `./start` sets it to the path by which the user called it.
        return shlex.quote(name_of_start_script)
    python = Path(sys.executable)
    script = python.with_name("controlplane")
    if script.exists():
        return _shortest(script)
    return f"{_shortest(python)} -P -m controlplane"


def _shortest(program: Path) -> str:
    """Return the shortest word with which a shell finds a program from the working folder."""
    found_path = shutil.which(program.name)
    # Do not resolve links: a virtual environment's python is a link to the python outside.
    if found_path is not None and Path(found_path).absolute() == program.absolute():
        return program.name
    return shlex.quote(shown_path(program))


def shown_path(path: Path) -> str:
    """Return a path relative to the working folder if the folder contains it, else unchanged."""
    with contextlib.suppress(OSError):  # The working folder may have been removed.
        if path.is_relative_to(Path.cwd()):
            return str(path.relative_to(Path.cwd()))
    return str(path)


_PACKAGE_FOLDER: Final = Path(__file__).parent


def error_text(error: BaseException) -> str:
    """Return the message of an error, even if its own code fails to print it."""
    try:
        # The message may be a subclass of `str` with methods of its own, or not be encodable.
        return "".join(str(error)).encode("utf-8", "replace").decode()
    except Exception:  # noqa: BLE001 - the error is a user's
        return "(its text cannot be printed)"


def fault_text(error: BaseException) -> str:
    """Return an error in one line, with the file and line in the user's module that raised it.

    If no frame is in a user's module, the innermost frame is named. A syntax error
    names its own place.
    """
    from controlplane.sandbox.interface import bounds  # help does not need this module

    text = f"{type(error).__name__}: {error_text(error)}"[: bounds.MOST_FAULT_CHARS]
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, SyntaxError) or not frames:
        return text

    user_frames = [frame for frame in frames if _is_of_the_user(frame.filename)]
    if not user_frames:
        frame = frames[-1]
        return f"{text} ({Path(frame.filename).name}, line {frame.lineno})"
    frame = user_frames[-1]
    path = shown_path(Path(frame.filename))
    if Path(
        path
    ).is_absolute():  # A module outside the working folder is named without its path.
        path = Path(path).name
    return f"{text} ({path}, line {frame.lineno})"


def _is_of_the_user(filename: str) -> bool:
    """Return True if a file is neither ours nor that of an installed package or of Python."""
    import sysconfig  # needed only for a fault

    path = Path(filename)
    if not path.is_absolute():  # For example, `<string>` or `<frozen importlib>`.
        return False
    if path.is_relative_to(_PACKAGE_FOLDER):
        return False
    for kind in ("stdlib", "platstdlib", "purelib", "platlib"):
        library = sysconfig.get_path(kind)
        if library and path.is_relative_to(library):
            return False
    return True
