"""The rule sets of this product, by their names for `--rule-sets`.

A rule set has the checks of a domain's calls and answers. It is imported, by
`controlplane.gates.rule_set_loading`, when a run needs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

RULE_SETS: Final[Mapping[str, str]] = {
    "ecom": "controlplane.benchmarks.shop.rule_set:RULE_SET",
    "posed": "controlplane.benchmarks.shop.rule_set:POSED",
}
"""Each rule set's address: `importable.module:ATTRIBUTE`."""
