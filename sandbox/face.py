"""The public names of `sandbox`, which its `__init__` takes from here at their first use."""

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
