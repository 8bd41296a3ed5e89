"""The second solver, by native tool calls: start, preflight, loop, assembly."""

from agent.exoskeleton.bindings import (
    AskDraftCheck,
    CheckValue,
    CitedPath,
    Completion,
    Part,
    Permission,
    SolverBindings,
)
from agent.exoskeleton.exoskeleton import Exoskeleton
from agent.exoskeleton.offered_tools import operation_tool, references_schema
