"""Runs untrusted scripts."""

import sys

if sys.argv[:1] == ["-m"] and not sys.flags.safe_path and not __file__.startswith(f"{sys.path[0]}/sandbox/"):
    del sys.path[0]  # `python -m` searches the working folder first: being in it runs nothing of it

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

_HOMES = {
    "child.aide_process": ("ask_parent",),
    "files.file_tree": ("FileTree", "content_type", "normal_path"),
    "interface.error_codes": ("Refusal",),
    "interface.host": (
        "ALL_WALLS",
        "CALL_ENDS",
        "AideLimits",
        "Ending",
        "Host",
        "Limits",
        "StepResult",
        "Verify",
        "VerifyReply",
        "Wall",
        "parse_walls",
    ),
    "parent.aide": ("Aide",),
    "parent.fork_server": ("ForkServer", "SandboxBroken", "WallReport", "missing_wall", "standing_walls"),
    "parent.script_sandbox": ("Sandbox",),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use: the processes of scripts import no modules of the parent."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
