"""The exoskeleton, the solver whose model calls tools natively."""

from controlplane.agent.exoskeleton.benchmark_functions import AskDraftCheck
from controlplane.agent.exoskeleton.bindings import Part, SolverBindings
from controlplane.agent.exoskeleton.checks import CheckValue, Permission
from controlplane.agent.exoskeleton.completion import CitedPath, Completion
from controlplane.agent.exoskeleton.exoskeleton import Exoskeleton
from controlplane.agent.exoskeleton.tools.completion_tool import references_schema
from controlplane.agent.exoskeleton.tools.offered_tools import operation_tool
