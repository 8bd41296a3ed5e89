"""The public names of `sandbox`, which its `__init__` takes from here at their first use."""

from controlplane.sandbox.files.file_paths import content_type, normal_path
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface.error_codes import Refusal
from controlplane.sandbox.interface.host import (
    Ending,
    Host,
    StepResult,
    Verify,
    VerifyReply,
)
from controlplane.sandbox.interface.isolation_layers import (
    ALL_LAYERS,
    Layer,
    parse_isolation,
)
from controlplane.sandbox.interface.limits import Limits, WorkerLimits
from controlplane.sandbox.parent.child_process import SandboxBroken
from controlplane.sandbox.parent.fork_server import ForkServer
from controlplane.sandbox.parent.isolation_report import (
    IsolationReport,
    missing_layer,
    working_layers,
)
from controlplane.sandbox.parent.script_sandbox import Sandbox
from controlplane.sandbox.parent.worker import Worker
