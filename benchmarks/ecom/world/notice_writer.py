"""Writes the files of notices: `/docs/notices/2027-03-01-limits.md`, with a day and a text.

A notice says that a rule is valid from a day on: "As of 2027-03-01, instead of what
`/docs/discounts.md` says: ...". Its wording is random, from the set of wordings that the
world uses.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from controlplane.benchmarks.ecom.world.company.discount_limits import DiscountLimits
from controlplane.benchmarks.ecom.world.names.world_names import WorldNames
from controlplane.benchmarks.ecom.world.pages import DISCOUNTS, RETURNS
from controlplane.benchmarks.ecom.world.wordings import euros


class NoticeFile(NamedTuple):
    """The path and text of a file in a world."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class NoticeWriter:
    """Writes the notices of one world. A day is a text such as `2027-03-01`."""

    rng: Random
    names: WorldNames

    def limits_notice(self, day: str, limits: DiscountLimits) -> NoticeFile:
        """Return the notice that these highest discounts are valid from a day on."""
        return self._notice(day, "limits", self.limits_text(day, limits))

    def refund_role_notice(self, day: str, role: str) -> NoticeFile:
        """Return the notice that employees with a role approve refunds from a day on."""
        page_path = self.names.pages[RETURNS]
        text = self.wording("notice-role", day=day, role=role, page=page_path)
        return self._notice(day, "refunds", text)

    def limits_text(self, day: str, limits: DiscountLimits) -> str:
        """Return the sentence that these highest discounts are valid from a day on."""
        return self.wording(
            "notice-tiers",
            day=day,
            threshold=euros(limits.threshold_cents),
            high=limits.percent_from_threshold,
            low=limits.percent_below_threshold,
            page=self.names.pages[DISCOUNTS],
        )

    def wording(self, name: str, **values: object) -> str:
        """Return a random wording with its values filled in.

        `wording("notice-expired", day="2026-09-30")` -> "Valid until 2026-09-30."
        """
        template = self.rng.choice(self.names.wordings(name))
        return template.format(**values)

    def _notice(self, day: str, subject: str, text: str) -> NoticeFile:
        path = f"{self.names.notices}/{day}-{subject}.md"
        return NoticeFile(path, f"# Notice of {day}\n\n{text}\n")
