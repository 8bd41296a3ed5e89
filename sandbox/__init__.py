"""Runs untrusted scripts in isolation: `interface` declares, `parent` is trusted, `child` is not."""

import sys

if sys.argv[:1] == ["-m"] and not sys.flags.safe_path and not __file__.startswith(f"{sys.path[0]}/sandbox/"):
    del sys.path[0]  # `python -m` searches the working folder first: being in it runs nothing of it

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.child.aide_process import ask_parent
    from sandbox.files.file_tree import FileTree, content_type, normal_path
    from sandbox.interface.error_codes import Refusal
    from sandbox.interface.host import (
        ALL_WALLS,
        CALL_ENDS,
        AideLimits,
        Ending,
        Host,
        Limits,
        StepResult,
        Verify,
        VerifyReply,
        Wall,
        parse_walls,
    )
    from sandbox.parent.aide import Aide
    from sandbox.parent.fork_server import ForkServer, SandboxBroken, WallReport, missing_wall, standing_walls
    from sandbox.parent.script_sandbox import Sandbox


@cache
def lazy_face(package: str, file: str) -> Callable[[str], object]:
    """Return a `__getattr__` for a package that imports a public name from its module at the name's first use.

    An import of one name then does not load the modules of the others: the processes of scripts import no modules of
    the parent. The names stand once in the package's `file`: in its imports for type checkers, which are read at the
    first use of any.
    """
    homes: dict[str, str] = {}

    def public_name(name: str) -> object:
        from pathlib import Path  # The processes of scripts do without it.

        if not homes:
            imports = re.findall(r"^    from (\S+) import (\([^)]*\)|.*)$", Path(file).read_text("utf-8"), re.M)
            homes.update({word: home for home, names in imports for word in re.findall(r"\w+", names)})
        if homes.get(name) == package:
            return import_module(f"{package}.{name}")
        if name in homes:
            return getattr(import_module(homes[name]), name)
        msg = f"module {package!r} has no attribute {name!r}"
        raise AttributeError(msg)

    return public_name


__getattr__ = lazy_face(__name__, __file__)
