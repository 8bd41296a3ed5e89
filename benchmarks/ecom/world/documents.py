"""Renders the documents of a world from its parameters: the workspace's rules, the policies, the company's history.

The templates are in `texts/`, at the paths that the world shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from importlib.resources import as_file, files
from string import Template
from typing import Final

from benchmarks.ecom.world.company_origin import Origin
from benchmarks.ecom.world.names import WorldNames
from benchmarks.ecom.world.shop_policy import Policy

RULES: Final = "rules"
SECURITY: Final = "security"
CHECKOUT: Final = "checkout"
STOCK: Final = "stock"
CATALOGUE: Final = "catalogue"
DISCOUNTS: Final = "discounts"
VERIFICATION: Final = "verification"
RETURNS: Final = "returns"
UPLOADS: Final = "uploads"
STAFF: Final = "staff"
DISPATCH: Final = "dispatch"
CROSSLIST: Final = "crosslist"
ORIGINS: Final = "origins"
HISTORY: Final = "history"
EXPANSION: Final = "expansion"
"""The keys of the documents that code refers to; `WorldNames.document` returns the path of one."""


def euros(cents: int) -> str:
    """Return an amount such as `EUR 120.00`."""
    return f"EUR {cents // 100}.{cents % 100:02d}"


@cache
def _templates() -> dict[str, Template]:
    with as_file(files(__package__) / "texts") as root:
        texts = sorted(path for path in root.rglob("*") if path.is_file())
        return {f"/{path.relative_to(root).as_posix()}": Template(path.read_text("utf-8")) for path in texts}


def documents(policy: Policy, names: WorldNames, origin: Origin) -> dict[str, str]:
    """Return every document of a world by path."""
    values: Mapping[str, object] = {
        **asdict(policy),
        **asdict(names.layout.roots),
        **asdict(origin),
        "reasons": ", ".join(f"`{each}`" for each in policy.reason_codes),
        "threshold": euros(policy.threshold_cents),
    }
    return {path: template.substitute(values) for path, template in _templates().items()}
