"""The second solver, which uses native tool calls."""

from controlplane.agent.exoskeleton.bindings import (
    AskDraftCheck,
    CheckValue,
    CitedPath,
    Completion,
    Part,
    Permission,
    SolverBindings,
)
from controlplane.agent.exoskeleton.exoskeleton import Exoskeleton
from controlplane.agent.exoskeleton.offered_tools import (
    operation_tool,
    references_schema,
)
