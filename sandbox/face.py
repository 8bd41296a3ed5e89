"""The public names of `sandbox`, which its `__init__` takes from here at their first use."""

from sandbox.files.file_tree import FileTree, content_type, normal_path
from sandbox.interface.error_codes import Refusal
from sandbox.interface.host import (
    ALL_LAYERS,
    CALL_ENDS,
    Ending,
    Host,
    Layer,
    Limits,
    StepResult,
    Verify,
    VerifyReply,
    WorkerLimits,
    parse_isolation,
)
from sandbox.parent.fork_server import (
    ForkServer,
    IsolationReport,
    SandboxBroken,
    Worker,
    missing_layer,
    working_layers,
)
from sandbox.parent.script_sandbox import Sandbox
