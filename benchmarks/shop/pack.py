"""The rule pack of shop workspaces, which runs beside the gates (`--rules ecom`).

Some rules follow from a workspace's documents, others from experience. All of them only ask: an answer that the
agent keeps is accepted after two turns.
"""

from __future__ import annotations

from typing import Final

from benchmarks.shop import citation_rules, outcome_rules
from gates.rules import Pack, Rule

_MODULES: Final = (outcome_rules, citation_rules)
PACK: Final = Pack(
    "ecom", tuple(found for module in _MODULES for found in vars(module).values() if isinstance(found, Rule))
)
"""Every rule of these modules, in their order. Loaded by the name `ecom`."""
