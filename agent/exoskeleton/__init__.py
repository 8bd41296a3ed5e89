"""The second solver: start, preflight, loop, assembly."""

from typing import TYPE_CHECKING

import agent

if TYPE_CHECKING:
    from agent.exoskeleton.bindings import (
        AskReview,
        CheckValue,
        Draft,
        FindingBucket,
        Part,
        Permission,
        SolverBindings,
        TextParse,
    )
    from agent.exoskeleton.exoskeleton import Exoskeleton
    from agent.exoskeleton.offered_tools import operation_tool, references_schema

__getattr__ = agent.lazy_face(__name__, __file__)
