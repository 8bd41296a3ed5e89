"""Writes the files of notices: `/docs/notices/2027-03-01-limits.md`, with a day and a text.

A notice says that a rule is valid from a day on, such as other discount limits. Its wording
is random, from the set of wordings that the world uses.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from controlplane.benchmarks.ecom.world.company.policy import DiscountLimits
from controlplane.benchmarks.ecom.world.names.world_names import WorldNames
from controlplane.benchmarks.ecom.world.pages import DISCOUNTS
from controlplane.benchmarks.ecom.world.wordings import euros, wordings_by_name


class NoticeFile(NamedTuple):
    """The path and text of a file in a world."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class NoticeWriter:
    """Writes the notices of one world."""

    rng: Random
    names: WorldNames

    def wording(self, name: str, **values: object) -> str:
        """Return a random wording with its values filled in."""
        templates = wordings_by_name()[name].of(self.names.wording_set)
        return self.rng.choice(templates).format(**values)

    def notice(self, day: str, subject: str, text: str) -> NoticeFile:
        """Return a notice that is valid from a day on."""
        path = f"{self.names.notices}/{day}-{subject}.md"
        return NoticeFile(path, f"# Notice of {day}\n\n{text}\n")

    def discount_limits(self, day: str, limits: DiscountLimits) -> str:
        """Return the statement that these highest discounts are valid from a day on."""
        return self.wording(
            "notice-tiers",
            day=day,
            threshold=euros(limits.threshold_cents),
            high=limits.percent_from_threshold,
            low=limits.percent_below_threshold,
            page=self.names.pages[DISCOUNTS],
        )
