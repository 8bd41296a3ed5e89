"""The pages of one world: its policies, history and names, in the world's wordings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.world.company import BRAND, DispatchRates, Policy
from controlplane.benchmarks.ecom.world.names import WorldNames
from controlplane.benchmarks.ecom.world.wordings import euros, render, wordings

RULES: Final = "rules"
SECURITY: Final = "security"
CHECKOUT: Final = "checkout"
CATALOGUE: Final = "catalogue"
DISCOUNTS: Final = "discounts"
VERIFICATION: Final = "verification"
RETURNS: Final = "returns"
DISPATCH: Final = "dispatch"
CROSSLIST: Final = "crosslist"
ORIGINS: Final = "origins"
"""The keys of pages that the code refers to. `WorldNames.documents` maps them to paths."""


def documents(
    policy: Policy, names: WorldNames, origin: Mapping[str, str], updates: str = ""
) -> dict[str, Callable[[], str]]:
    """Return functions that render a world's pages, by path.

    `updates` is the rule about notices; empty if the world has none.
    """
    values = _PageValues(policy, names, origin, updates)
    return {path: partial(values.page, key) for key, path in names.documents.items()}


@dataclass(frozen=True, slots=True)
class _PageValues:
    """The values for the names in the wordings of one world's pages."""

    policy: Policy
    names: WorldNames
    origin: Mapping[str, str]
    updates: str

    def page(self, key: str) -> str:
        """Return the text of a page. It is the same each time."""
        rng = Random(f"{self.names.wording}|{key}")
        return render(key, self.value_of, rng, self.names.wordings)

    def value_of(self, key: str) -> object:
        """Return the value for a name in a wording, such as `company` or `state.active`.

        A name may have a group and a containing field: `field.verification.state` is the field
        `state` within `verification`.
        """
        group, _, name = key.partition(".")
        if not name:
            return self._plain_value(group)
        field, _, name_in_field = name.rpartition(".")
        names = self.names
        match group:
            case "doc":
                return names.documents[name]
            case "root":
                return getattr(names.layout.roots, name)
            case "field":
                return names.field(name_in_field, within=field)
            case "state":  # A state of a basket, payment or return: `state.active`.
                return names.state(name)
            case "raw":  # A value of the named field: `raw.fulfilment.download`.
                return names.state(name_in_field, of=field)
            case "challenge":  # A state of a card verification: `challenge.challenge_open`.
                return names.state(name, of="verification.state")
            case "tool":
                return f"/bin/{name}"
            case "verb":
                return names.records.verb(name)
            case "policy":
                return getattr(self.policy, name)
            case "role":
                return names.roles[name]
            case "origin":
                return self.origin[name]
        raise KeyError(key)

    def _plain_value(self, name: str) -> object:
        policy = self.policy
        match name:
            case "company":
                return BRAND
            case "reasons":
                return ", ".join(f"`{code}`" for code in self.names.reason_codes)
            case "rates":
                return _rates_table(policy.rates)
            case "threshold":
                return euros(policy.threshold_cents)
            case "high":
                return policy.high_percent
            case "low":
                return policy.low_percent
            case "delay":
                return policy.verification_delay_min
            case "uploads":
                return self.names.uploads
            case "mentioned":
                return self._statement("mentioned") if policy.cites_mentioned else ""
            case "outside":
                if policy.outbox:
                    return self._statement("outbox").format(path=policy.outbox)
                return self._statement("outside")
            case "updates":
                return self.updates
        raise KeyError(name)

    def _statement(self, name: str) -> str:
        """Return a statement that several pages may have, with the same wording on each."""
        rng = Random(f"{self.names.wording}|{name}")
        return rng.choice(wordings()[name].of(self.names.wordings))


def _rates_table(rates: DispatchRates) -> str:
    rows = [("word", "rate"), ("---", "---")]
    for word, share in rates.frequency.items():
        rows.append((word, f"{share} % of trips"))
    for word, (shortest, longest) in rates.length.items():
        rows.append((word, f"{shortest} to {longest} time units"))
    rows.append(("late", f"{euros(rates.late_cents)} per time unit"))
    rows.append(("missed", f"{euros(rates.missed_cents)} per package"))
    return "\n".join(f"| {word} | {rate} |" for word, rate in rows)
