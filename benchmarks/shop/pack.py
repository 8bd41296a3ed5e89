"""The rule pack of shop workspaces, which is asked beside the gates (`--rules ecom`).

Some rules follow from a workspace's documents, others from experience. All of them ask: an answer that stands
by itself goes out after two turns.
"""

from __future__ import annotations

from typing import Final

from benchmarks.shop import citation_rules, field_rules, outcome_rules
from gates.rules import Pack, Rule

_MODULES: Final = (outcome_rules, citation_rules, field_rules)
PACK: Final = Pack(
    "ecom", tuple(found for module in _MODULES for found in vars(module).values() if isinstance(found, Rule))
)
"""Every rule of these modules, in their order. Loaded by the name `ecom`."""
