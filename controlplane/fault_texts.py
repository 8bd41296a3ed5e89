"""Exceptions of any code as texts of one line: what has failed, and where in the user's module.

`KeyError: 'id' (my_bank.py, line 12)`
"""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Final

from controlplane.program_invocation import shown_path

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
