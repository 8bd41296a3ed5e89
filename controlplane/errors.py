"""The errors that end a command, with their exit codes, parts of their messages, and faults as texts.

ControlPlaneError
├── UsageError            2   a wrong option, name or file
│   └── NotAJournal       2   the file is not a journal
├── Unreachable           3   the platform or the model cannot be reached, or refuses; the disk is full
├── JournalUnwritable     3   the journal cannot be written
├── BudgetExhausted       4   a budget of the run is used up
├── JournalDamaged        5   the journal's hash chain is broken
├── ReplayDiverged        5   a replay differs from the record
├── ChangesProposed       6   changes are shown and not made: nobody can be asked to consent
└── Interrupted         130   the user stopped the command

Exit code 1 is a result: a trial did not start, did not end, or ended with its fallback answer.
"""

from __future__ import annotations

import errno
import importlib
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


DISK_FULL_ERRORS: Final = (errno.ENOSPC, errno.EDQUOT)
"""A full disk, a used-up quota."""


@contextmanager
def as_usage_error(place: str, *kinds: type[Exception]) -> Iterator[None]:
    """Convert errors of these kinds to `UsageError`, with `place` before their messages.

    A full disk is no fault of the command: its error becomes `Unreachable`.
    """
    try:
        yield
    except kinds as error:
        text: object = error
        if isinstance(error, OSError) and error.strerror:
            # Without the number of the error and the file's name.
            text = error.strerror
        msg = f"{place}: {text}"
        if isinstance(error, OSError) and error.errno in DISK_FULL_ERRORS:
            raise Unreachable(msg) from error
        raise UsageError(msg) from error


def extra_module(name: str, use: str, extra: str = "") -> Any:
    """Return a module that an optional package installs.

    `use` is what needs it, such as "serving tools", and `extra` the name of the extra that installs
    it. Raises `UsageError` with the command that installs it.
    """
    # Needed only if something is missing.
    from controlplane.package_version import install_command

    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        install = f"pip install {name}"
        if extra:
            install = install_command(extra)
        msg = f"{use} needs the package {error.name!r}: {install}"
        raise UsageError(msg) from error


class NotAJournal(UsageError):
    """The file is not a journal."""


class UnknownEvents(UserWarning):
    """A journal has events that this version does not know. They are left out when it is read."""


class Unreachable(ControlPlaneError):
    """The platform or the model cannot be reached, or refuses, or the disk is full."""

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
    """Return the name most similar to `name`: `gpt5` -> `gpt-5`.

    Empty if no similarity reaches `least`, from 0 (any name) to 1 (the same name).
    """
    from difflib import get_close_matches  # needed only for a wrong name

    matches = get_close_matches(name, list(names), n=1, cutoff=least)
    if not matches:
        return ""
    return matches[0]


_MISSPELT: Final = 0.8
"""The least similarity (0 to 1, difflib) of a misspelt name and the one that is meant."""
_MOST_KINDRED_NAMES: Final = 4
"""If more names end in the same word, that word says too little."""


def near_names(name: str, names: Iterable[str]) -> list[str]:
    """Return all known names that somebody may have meant by an unknown one.

    `run_cots` is one name misspelt: `run_cost`. Otherwise they are those that end in
    the same word: `max_cost` -> `run_cost`, `trial_cost`.
    """
    known_names = list(names)
    misspelt = nearest_name(name, known_names, least=_MISSPELT)
    if misspelt:
        return [misspelt]
    noun = _last_word(name)
    kindred_names = []
    for known_name in known_names:
        if nearest_name(noun, [_last_word(known_name)], least=_MISSPELT):
            kindred_names.append(known_name)
    if len(kindred_names) > _MOST_KINDRED_NAMES:
        return []
    return kindred_names


def _last_word(name: str) -> str:
    """Return the last word of a name: `--run-cost` and `run_cost` -> `cost`."""
    return name.replace("-", "_").rpartition("_")[2]


def did_you_mean(name: str, names: Iterable[str], *, most: int | None = None) -> str:
    """Return a hint at known names, to be added to a message.

    It is `; did you mean 'model'?` with the names that are near (`near_names`), or else with the
    most similar one, if one is similar. Otherwise it is
    `; known: a, b and 7 more` with at most `most` names, or all if that is None.
    """
    names = list(dict.fromkeys(names))
    near = near_names(name, names)
    if near:
        return f"; did you mean {' or '.join(map(repr, near))}?"
    close = nearest_name(name, names, least=0.5)
    if close:
        return f"; did you mean {close!r}?"
    text = f"; known: {', '.join(names[:most]) or 'none'}"
    if most is not None and len(names) > most:
        text += f" and {len(names) - most} more"
    return text


# Exceptions of any code as texts of one line: what has failed, and where in the user's module.
#
# `KeyError: 'id' (my_bank.py, line 12)`

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
    # Help does not need these modules.
    from controlplane.program_invocation import shown_path
    from controlplane.sandbox.interface import bounds

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
    is_outside_working_folder = Path(path).is_absolute()
    if is_outside_working_folder:
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
