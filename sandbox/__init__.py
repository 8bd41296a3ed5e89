"""Runs a script that nobody trusts."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.child.aide_process import ask_parent as ask_parent
    from sandbox.files.file_paths import content_type as content_type
    from sandbox.files.file_paths import normal_path as normal_path
    from sandbox.files.file_tree import FileTree as FileTree
    from sandbox.interface.host import Ending as Ending
    from sandbox.interface.host import Host as Host
    from sandbox.interface.host import Refusal as Refusal
    from sandbox.interface.host import StepResult as StepResult
    from sandbox.interface.host import Verify as Verify
    from sandbox.interface.host import VerifyReply as VerifyReply
    from sandbox.interface.limits import Limits as Limits
    from sandbox.interface.walls import ALL_WALLS as ALL_WALLS
    from sandbox.interface.walls import Wall as Wall
    from sandbox.interface.walls import parse_walls as parse_walls
    from sandbox.parent.aide import Aide as Aide
    from sandbox.parent.fork_server import ForkServer as ForkServer
    from sandbox.parent.script_sandbox import Sandbox as Sandbox
    from sandbox.parent.server_process import SandboxBroken as SandboxBroken
    from sandbox.parent.wall_report import WallReport as WallReport
    from sandbox.parent.wall_report import missing_wall as missing_wall
    from sandbox.parent.wall_report import standing_walls as standing_walls

_HOMES = {
    "child.aide_process": ("ask_parent",),
    "files.file_paths": (
        "content_type",
        "normal_path",
    ),
    "files.file_tree": ("FileTree",),
    "interface.host": (
        "Ending",
        "Host",
        "Refusal",
        "StepResult",
        "Verify",
        "VerifyReply",
    ),
    "interface.limits": ("Limits",),
    "interface.walls": (
        "ALL_WALLS",
        "Wall",
        "parse_walls",
    ),
    "parent.aide": ("Aide",),
    "parent.fork_server": ("ForkServer",),
    "parent.script_sandbox": ("Sandbox",),
    "parent.server_process": ("SandboxBroken",),
    "parent.wall_report": (
        "WallReport",
        "missing_wall",
        "standing_walls",
    ),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that nobody waits for what is not needed."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
