"""The values for the names in a world's pages: what `$company` and `$state.active` stand for.

A page is written once, as a template, for all worlds. Its clause

    Only a basket that is `$state.active` can get a discount of up to $high percent.

says "a basket that is `filling`" and "up to 12 percent" in one world. In `$state.active`,
`state` is the group of the name; `$high` has no group.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from controlplane.benchmarks.ecom.world.company.branches import BRAND
from controlplane.benchmarks.ecom.world.company.policy import Policy
from controlplane.benchmarks.ecom.world.dispatch_rates import DispatchRates
from controlplane.benchmarks.ecom.world.names.world_names import WorldNames
from controlplane.benchmarks.ecom.world.wordings import euros, wordings_by_name


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What the pages of one world state."""

    policy: Policy
    names: WorldNames
    history: Mapping[str, str]
    """Facts of the company's history by name, such as the date `named_on`."""
    updates: str
    """The rule that notices override pages; empty if the world has none."""


def value_of(full_name: str, facts: PageFacts) -> object:
    """Return the value for a name, which may begin with a group: `state.active` -> `filling`.

    Raises `KeyError` for a name that no page may have.
    """
    group, _, name = full_name.partition(".")
    if name:
        return _value_in_group(group, name, facts)
    return _plain_value(full_name, facts)


def _value_in_group(group: str, name: str, facts: PageFacts) -> object:
    """Return the value for a name with a group: `state` and `active` for `state.active`."""
    names = facts.names
    match group:
        case "doc":  # `doc.returns`: the path of a page
            return names.pages[name]
        case "root":  # `root.baskets`: the folder of a kind of record
            return getattr(names.layout.roots, name)
        case "field":  # `field.store_id`; `field.verification.state` is within another
            containing_field, _, inner_name = name.rpartition(".")
            return names.field(inner_name, within=containing_field)
        case "state":  # `state.active`: a state of a basket, payment or return
            return names.state(name)
        case "raw":  # `raw.fulfilment.download`: a value of a field that is not a state
            field, _, value = name.rpartition(".")
            return names.state(value, of=field)
        case "challenge":  # `challenge.challenge_open`: a state of a card verification
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
            return facts.history[name]
    msg = f"{group}.{name}"
    raise KeyError(msg)


def _plain_value(name: str, facts: PageFacts) -> object:
    """Return the value for a name without a group: `high` -> 12.

    The last three are whole sentences. One is empty if it does not apply in this world;
    then the page leaves the clause out.
    """
    policy = facts.policy
    match name:
        case "company":
            return BRAND
        case "reasons":  # the codes of the reasons for a discount
            return ", ".join(f"`{code}`" for code in facts.names.reason_codes)
        case "rates":  # of delays and late packages, as a table
            return _rates_table(policy.rates)
        case "threshold":  # the least subtotal of a basket for the higher discount
            return euros(policy.discounts.threshold_cents)
        case "high":  # the highest discount from the threshold on, in percent
            return policy.discounts.percent_from_threshold
        case "low":  # the highest discount below the threshold, in percent
            return policy.discounts.percent_below_threshold
        case "delay":  # between two attempts to verify a card, in minutes
            return policy.verification_delay_min
        case "uploads":  # the folder of uploaded files
            return facts.names.uploads
        case "mentioned":  # "Cite the products that the request excludes, too."
            if not policy.cites_mentioned:
                return ""
            return _statement("mentioned", facts.names)
        # "Nothing can be sent to other systems," or "Write it to this file."
        case "outside":
            if policy.outbox:
                return _statement("outbox", facts.names).format(path=policy.outbox)
            return _statement("outside", facts.names)
        case "updates":  # "Notices override pages."
            return facts.updates
    raise KeyError(name)


def _statement(name: str, names: WorldNames) -> str:
    """Return a statement that several pages may have, with the same wording on each."""
    rng = Random(f"{names.page_seed}|{name}")
    possible_wordings = wordings_by_name()[name].of(names.wording_set)
    return rng.choice(possible_wordings)


def _rates_table(rates: DispatchRates) -> str:
    """Return the rates of delays, and the prices of late and missed packages, as a table."""
    rows = [("word", "rate"), ("---", "---")]
    for word, percent in rates.delayed_percent.items():
        rows.append((word, f"{percent} % of trips"))
    for word, (shortest, longest) in rates.delay_units.items():
        rows.append((word, f"{shortest} to {longest} time units"))
    rows.append(("late", f"{euros(rates.late_cents)} per time unit"))
    rows.append(("missed", f"{euros(rates.missed_cents)} per package"))
    return "\n".join(f"| {word} | {rate} |" for word, rate in rows)
