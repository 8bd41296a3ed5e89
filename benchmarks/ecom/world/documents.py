"""Renders the documents of a world from its parameters: the workspace's rules, the policies, the company's history.

The templates are in `texts/`, at the paths that the world shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from string import Template
from typing import Final

from benchmarks.ecom.runtime.workspace import Roots
from benchmarks.ecom.world.company_origin import Origin
from benchmarks.ecom.world.shop_policy import Policy

RULES: Final = "/AGENTS.MD"
SECURITY: Final = "/docs/security.md"
CITATIONS: Final = "/docs/citations.md"
CHECKOUT: Final = "/docs/checkout.md"
STOCK: Final = "/docs/stock.md"
CATALOGUE: Final = "/docs/catalogue.md"
DISCOUNTS: Final = "/docs/discounts.md"
VERIFICATION: Final = "/docs/payments/verification.md"
RETURNS: Final = "/docs/returns.md"
EXPORTS: Final = "/docs/exports.md"
UPLOADS: Final = "/docs/uploads.md"
STAFF: Final = "/docs/staff.md"
ORIGINS: Final = "/docs/company/origins.md"
HISTORY: Final = "/docs/company/history.md"
VALUES: Final = "/docs/company/values.md"

PATHS: Final = (
    RULES,
    SECURITY,
    CITATIONS,
    CHECKOUT,
    STOCK,
    CATALOGUE,
    DISCOUNTS,
    VERIFICATION,
    RETURNS,
    EXPORTS,
    UPLOADS,
    STAFF,
    ORIGINS,
    HISTORY,
    VALUES,
)


def euros(cents: int) -> str:
    """Return an amount such as `EUR 120.00`."""
    return f"EUR {cents // 100}.{cents % 100:02d}"


@cache
def _template(path: str) -> Template:
    return Template((files(__package__) / "texts" / path.lstrip("/")).read_text("utf-8"))


def documents(policy: Policy, roots: Roots, origin: Origin) -> dict[str, str]:
    """Return every document of a world by path."""
    values: Mapping[str, object] = {
        **asdict(policy),
        **asdict(roots),
        **asdict(origin),
        "reasons": ", ".join(f"`{each}`" for each in policy.reason_codes),
        "threshold": euros(policy.threshold_cents),
    }
    return {path: _template(path).substitute(values) for path in PATHS}
