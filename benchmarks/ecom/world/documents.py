"""The documents of a world: the workspace's rules, the policies, the company's stories, all from one choice of names.

No page says what an answer cites, but for worlds whose policy asks for the SKUs that a request mentions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from random import Random
from typing import Final

from benchmarks.ecom.world.company_origin import Origin
from benchmarks.ecom.world.names import WorldNames
from benchmarks.ecom.world.pages import Wordings, render
from benchmarks.ecom.world.shop_policy import Policy

COMPANY: Final = "Veerhaven"
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

MENTIONED: Final = Wordings(
    (
        "Quote every match, the records that matter, and any SKU that the request mentions.",
        "An answer quotes all matches, whatever records it used, and SKUs that were mentioned.",
        "SKUs that somebody mentions are quoted along with the matches and other records in play.",
        "Refer to each match, to the relevant records, and also to the SKUs that the customer mentioned.",
        "What matched, what was relevant, and what the request mentions by SKU: quote all three.",
    ),
    (
        "In your answer, refer to all products that match, to the other records that you needed, and to every SKU "
        "mentioned in the request.",
        "If the request mentions SKUs, give them in the answer too, together with the matches and the records "
        "involved.",
    ),
)


def euros(cents: int) -> str:
    """Return an amount such as `EUR 120.00`."""
    return f"EUR {cents // 100}.{cents % 100:02d}"


def documents(policy: Policy, names: WorldNames, origin: Origin, updates: str = "") -> dict[str, Callable[[], str]]:
    """Return what renders each document of a world, by path. `updates` is the rule on notices, if there are any."""
    values = _Values(policy, names, origin, updates)
    return {path: partial(_rendered, key, values) for key, path in names.documents.items()}


def _rendered(key: str, values: _Values) -> str:
    names = values.names
    return render(key, values, Random(f"{names.wording}|{key}"), names.wordings)


class _Values(Mapping[str, object]):
    """What the wordings of a world refer to, by `group.name`."""

    def __init__(self, policy: Policy, names: WorldNames, origin: Origin, updates: str) -> None:
        self.names = names
        mentioned = Random(f"{names.wording}|mentioned").choice(MENTIONED.of(names.wordings))
        self._plain: dict[str, object] = {
            "company": COMPANY,
            "reasons": ", ".join(f"`{each}`" for each in policy.reason_codes),
            "threshold": euros(policy.threshold_cents),
            "high": policy.high_percent,
            "low": policy.low_percent,
            "delay": policy.verification_delay_min,
            "uploads": names.uploads,
            "mentioned": mentioned if policy.cites_mentioned else "",
            "updates": updates,
        }
        self._groups: Mapping[str, Callable[[str], object]] = {
            "doc": names.document,
            "root": partial(getattr, names.layout.roots),
            "field": partial(_field, names),
            "state": names.state,
            "raw": partial(_raw, names),
            "challenge": partial(names.state, of="verification.state"),
            "tool": names.tool,
            "verb": names.verb,
            "policy": partial(getattr, policy),
            "origin": partial(getattr, origin),
        }

    def __getitem__(self, key: str) -> object:
        group, _, name = key.partition(".")
        return self._groups[group](name) if name else self._plain[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._plain)

    def __len__(self) -> int:
        return len(self._plain)


def _field(names: WorldNames, name: str) -> str:
    within, _, inner = name.rpartition(".")
    return names.field(inner, within=within)


def _raw(names: WorldNames, name: str) -> str:
    of, _, value = name.rpartition(".")
    return names.state(value, of=of)
