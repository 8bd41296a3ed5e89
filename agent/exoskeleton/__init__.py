"""The exoskeleton, the solver whose model calls tools natively."""

from controlplane.agent.exoskeleton.bindings import (
    AskDraftCheck,
    CitedPath,
    Completion,
    Part,
    SolverBindings,
)
from controlplane.agent.exoskeleton.exoskeleton import Exoskeleton
from controlplane.agent.exoskeleton.tools import (
    CheckValue,
    Permission,
    operation_tool,
    references_schema,
)
