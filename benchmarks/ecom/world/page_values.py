"""The values for the names in a world's pages: what `$company` and `$state.active` stand for.

A page is written once, as a template, for all worlds. Its clause

    Only a basket that is `$state.active` can get a discount of up to $high percent.

says "a basket that is `filling`" and "up to 12 percent" in one world. In `$state.active`,
`state` is the group of the name; `$high` has no group.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from controlplane.benchmarks.ecom.world.company import BRAND, Policy
from controlplane.benchmarks.ecom.world.names import WorldNames
from controlplane.benchmarks.ecom.world.wordings import euros


@dataclass(frozen=True)
class PageFacts:
    """What the pages of one world state."""

    policy: Policy
    names: WorldNames
    history: Mapping[str, str]
    """Facts of the company's history by name, such as the date `named_on`."""
    updates: str
    """The rule that notices override pages; empty if the world has none."""
    outbox: str
    """The file for requests to other systems; empty if there is none."""

    def value_of(self, full_name: str) -> object:
        """Return the value for a name: `state.active` -> `filling`, `high` -> 12.

        Raises `KeyError` for a name that no page may have.
        """
        group, _, name = full_name.partition(".")
        if name:
            return _value_in_group(group, name, self)
        return self._plain_values[full_name]

    @cached_property
    def _plain_values(self) -> dict[str, object]:
        """The values of the names without a group."""
        discounts = self.policy.discounts
        reasons = ", ".join(f"`{code}`" for code in self.names.reason_codes)
        return {
            "company": BRAND,
            "reasons": reasons,  # the codes of the reasons for a discount
            "threshold": euros(discounts.threshold_cents),  # for the higher discount
            "high": discounts.percent_from_threshold,
            "low": discounts.percent_below_threshold,
            "delay": self.policy.verification_delay_min,  # in minutes
            "rates": self.policy.rates.table(),
            "uploads": self.names.uploads,
            # Whole sentences. If one is empty, the page leaves its clause out.
            "mentioned": self._rule_of_mentioned_products(),
            "outside": self._rule_of_other_systems(),
            "updates": self.updates,
        }

    def _rule_of_mentioned_products(self) -> str:
        """Return "Cite the products that the request excludes, too", or an empty text."""
        if not self.policy.answers.cites_mentioned:
            return ""
        return self.names.statement("mentioned")

    def _rule_of_other_systems(self) -> str:
        """Return "Write such requests to the file ...", or "Nothing can be sent to others"."""
        if self.outbox:
            return self.names.statement("outbox").format(path=self.outbox)
        return self.names.statement("outside")


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
        case "challenge":  # `challenge.challenge_open`: a state of a card verification
            return names.state(name, of="verification.state")
        case "raw":  # `raw.fulfilment.download`: a value of a field that is not a state
            field, _, value = name.rpartition(".")
            return names.state(value, of=field)
        case "tool":  # `tool.jq`: the path of a tool
            return f"/bin/{name}"
        case "verb":  # `verb.approve`: a subcommand of a tool
            return names.records.verb(name)
        case "role":  # `role.discount`: the name of a role
            return names.roles[name]
        case "policy":  # `policy.refund_role`: a rule
            return getattr(facts.policy, name)
        case "answers":  # `answers.yes`: how answers are written
            return getattr(facts.policy.answers, name)
        case "origin":  # `origin.named_on`: a fact of the company's history
            return facts.history[name]
    msg = f"{group}.{name}"
    raise KeyError(msg)
