"""Says where a user's own module failed."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path
from typing import Final

_OURS: Final = Path(__file__).resolve().parents[1]
_PACKAGES: Final = ("controlplane", "agent", "sandbox", "gates", "toolkit", "benchmarks")


def fault_text(error: BaseException) -> str:
    """Return an error in one line with the file and line of the module of the user's that raised it.

    Where none of the user's is among the frames, the innermost frame is named. A syntax error tells its place itself.
    """
    text = f"{type(error).__name__}: {error}"
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, SyntaxError) or not frames:
        return text
    own = [each for each in frames if _is_of_the_user(each.filename)]
    frame = (own or frames)[-1]
    path = Path(frame.filename)
    shown = path.relative_to(Path.cwd()) if own and path.is_relative_to(Path.cwd()) else path.name
    return f"{text} ({shown}, line {frame.lineno})"


def _is_of_the_user(filename: str) -> bool:
    path = Path(filename)
    libraries = {sysconfig.get_path(each) for each in ("stdlib", "platstdlib", "purelib", "platlib")}
    is_ours = path.is_relative_to(_OURS) and path.relative_to(_OURS).parts[0] in _PACKAGES
    return path.is_absolute() and not is_ours and not any(path.is_relative_to(each) for each in libraries if each)
