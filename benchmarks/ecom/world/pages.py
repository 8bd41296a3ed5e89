"""The pages of one world: its policies, history and names, in the world's wordings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.world.company import BRAND, Policy
from controlplane.benchmarks.ecom.world.dispatch_rates import DispatchRates
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
    facts = _PageFacts(policy, names, origin, updates)
    return {path: partial(_page, facts, key) for key, path in names.documents.items()}


@dataclass(frozen=True, slots=True)
class _PageFacts:
    """What the pages of one world state."""

    policy: Policy
    names: WorldNames
    origin: Mapping[str, str]
    """Facts of the company's history, such as `named_on`."""
    updates: str
    """The rule that notices override pages; empty if the world has none."""


def _page(facts: _PageFacts, key: str) -> str:
    """Return the text of a page. It is the same each time."""
    rng = Random(f"{facts.names.document_seed}|{key}")
    return render(key, partial(_value_of, facts), rng, facts.names.wordings)


def _value_of(facts: _PageFacts, key: str) -> object:
    """Return the value for a name in a wording.

    A name is plain (`company`), or begins with a group (`state.active`).
    """
    group, _, name = key.partition(".")
    if not name:
        return _plain_value(facts, group)
    names = facts.names
    match group:
        case "doc":  # `doc.returns`: the path of a page
            return names.documents[name]
        case "root":  # `root.baskets`: the folder of a kind of record
            return getattr(names.layout.roots, name)
        # `field.store_id`, or `field.verification.state` for a field in another
        case "field":
            containing_field, _, inner_name = name.rpartition(".")
            return names.field(inner_name, within=containing_field)
        case "state":  # `state.active`: a state of a basket, payment or return
            return names.state(name)
        case "raw":  # `raw.fulfilment.download`: a value of any other field
            field, _, value = name.rpartition(".")
            return names.state(value, of=field)
        # `challenge.challenge_open`: a state of a card verification
        case "challenge":
            return names.state(name, of="verification.state")
        case "tool":  # `tool.jq`: the path of a tool
            return f"/bin/{name}"
        case "verb":  # `verb.approve`: a subcommand of a tool
            return names.records.verb(name)
        case "policy":  # `policy.refund_role`
            return getattr(facts.policy, name)
        case "role":  # `role.discount`
            return names.roles[name]
        case "origin":  # `origin.named_on`: a fact of the company's history
            return facts.origin[name]
    raise KeyError(key)


def _plain_value(facts: _PageFacts, name: str) -> object:
    """Return the value for a name without a group.

    A clause that is only this name is left out if the value is empty.
    """
    policy = facts.policy
    match name:
        case "company":
            return BRAND
        case "reasons":
            return ", ".join(f"`{code}`" for code in facts.names.reason_codes)
        case "rates":
            return _rates_table(policy.rates)
        case "threshold":
            return euros(policy.discounts.threshold_cents)
        case "high":
            return policy.discounts.percent_from_threshold
        case "low":
            return policy.discounts.percent_below_threshold
        case "delay":
            return policy.verification_delay_min
        case "uploads":
            return facts.names.uploads
        case "mentioned":  # Whether answers cite products that a request excludes.
            return (
                _statement("mentioned", facts.names) if policy.cites_mentioned else ""
            )
        case "outside":  # What to do with requests to other systems.
            if policy.outbox:
                return _statement("outbox", facts.names).format(path=policy.outbox)
            return _statement("outside", facts.names)
        case "updates":  # That notices override pages.
            return facts.updates
    raise KeyError(name)


def _statement(name: str, names: WorldNames) -> str:
    """Return a statement that several pages may have, with the same wording on each."""
    rng = Random(f"{names.document_seed}|{name}")
    return rng.choice(wordings()[name].of(names.wordings))


def _rates_table(rates: DispatchRates) -> str:
    rows = [("word", "rate"), ("---", "---")]
    for word, percent in rates.delayed_percent.items():
        rows.append((word, f"{percent} % of trips"))
    for word, (shortest, longest) in rates.delay_units.items():
        rows.append((word, f"{shortest} to {longest} time units"))
    rows.append(("late", f"{euros(rates.late_cents)} per time unit"))
    rows.append(("missed", f"{euros(rates.missed_cents)} per package"))
    return "\n".join(f"| {word} | {rate} |" for word, rate in rows)
