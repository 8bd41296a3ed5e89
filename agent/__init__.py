"""One trial: what the model sees and says, what its scripts do, and the gated submission."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Final

REPLY: Final = "<reply>"
"""The file name of code that a model wrote, in Python's warnings."""


@cache
def lazy_face(package: str, file: str) -> Callable[[str], object]:
    """Return a `__getattr__` for a package that imports a public name from its module at the name's first use.

    An import of one name then does not load the modules of the others. The names stand once in the package's `file`:
    in its imports for type checkers, which are read at the first use of any.
    """
    homes: dict[str, str] = {}

    def public_name(name: str) -> object:
        if not homes:
            imports = re.findall(r"^    from (\S+) import (\([^)]*\)|.*)$", Path(file).read_text("utf-8"), re.M)
            homes.update({known: home for home, names in imports for known in re.findall(r"\w+", names)})
        if name in homes:
            return getattr(import_module(homes[name]), name)
        msg = f"module {package!r} has no attribute {name!r}"
        raise AttributeError(msg)

    return public_name
