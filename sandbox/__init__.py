"""Runs untrusted scripts."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.child.aide_process import ask_parent
    from sandbox.files.file_paths import content_type, normal_path
    from sandbox.files.file_tree import FileTree
    from sandbox.interface.host import Ending, Host, Refusal, StepResult, Verify, VerifyReply
    from sandbox.interface.limits import ALL_WALLS, AideLimits, Limits, Wall, parse_walls
    from sandbox.parent.aide import Aide
    from sandbox.parent.fork_server import ForkServer, SandboxBroken
    from sandbox.parent.script_sandbox import Sandbox
    from sandbox.parent.wall_report import WallReport, missing_wall, standing_walls

_HOMES = {
    "child.aide_process": ("ask_parent",),
    "files.file_paths": ("content_type", "normal_path"),
    "files.file_tree": ("FileTree",),
    "interface.host": ("Ending", "Host", "Refusal", "StepResult", "Verify", "VerifyReply"),
    "interface.limits": ("ALL_WALLS", "AideLimits", "Limits", "Wall", "parse_walls"),
    "parent.aide": ("Aide",),
    "parent.fork_server": ("ForkServer", "SandboxBroken"),
    "parent.script_sandbox": ("Sandbox",),
    "parent.wall_report": ("WallReport", "missing_wall", "standing_walls"),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use: the processes of scripts import no modules of the parent."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
