"""The exoskeleton, the solver whose model calls tools natively."""

from controlplane.agent.exoskeleton.benchmark_functions import AskDraftCheck
from controlplane.agent.exoskeleton.bindings import SolverBindings
from controlplane.agent.exoskeleton.checks import CheckValue, Permission
from controlplane.agent.exoskeleton.cited_path import CitedPath
from controlplane.agent.exoskeleton.completion import Completion
from controlplane.agent.exoskeleton.exoskeleton import Exoskeleton
from controlplane.agent.exoskeleton.parts import Part
from controlplane.agent.exoskeleton.tools.completion_tool import references_schema
from controlplane.agent.exoskeleton.tools.operation_tool import operation_tool
