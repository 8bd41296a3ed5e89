"""Dated notices that override pages, and decoys that only appear to override them.

The page on discounts says "up to 12 percent", and a notice of last Monday says "up to 15
percent from today on". 15 is right. A decoy has no effect: a notice for next week, an
expired copy of the page, or a rumour among colleagues.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random
from typing import NamedTuple

from controlplane.benchmarks.ecom.world.company import (
    DISCOUNT_LIMITS,
    DiscountLimits,
    Policy,
)
from controlplane.benchmarks.ecom.world.names import WorldNames
from controlplane.benchmarks.ecom.world.pages import DISCOUNTS, RETURNS
from controlplane.benchmarks.ecom.world.wordings import euros, wordings_by_name


class NoticeFile(NamedTuple):
    """The path and text of a file in a world."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Notices:
    """The notices of a world, which add to its pages."""

    stated: Policy
    """The policy that the pages state, which may be outdated.

    The valid one is `World.policy`. Where they differ, a notice has the valid value.
    """
    rule: str = ""
    """A sentence for the page of rules: "Notices override pages." Empty if there are none."""
    files: tuple[NoticeFile, ...] = ()
    """The notices, and possibly files that contradict them."""


@dataclass(frozen=True, slots=True)
class _NoticeWriter:
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


def choose_notices(
    rng: Random, policy: Policy, names: WorldNames, today: date, *, with_decoys: bool
) -> Notices:
    """Choose an outdated policy for the pages, and the notices that override it.

    `policy` is the valid one. The outdated one has other discount limits, and in half of
    the worlds another role for refunds. With decoys, files that are not valid today and a
    rumour contradict `policy`.
    """
    writer = _NoticeWriter(rng, names)
    valid_limits = policy.discounts
    other_limits = []
    for limits in DISCOUNT_LIMITS:
        if limits.threshold_cents != valid_limits.threshold_cents:
            other_limits.append(limits)
    outdated = replace(policy, discounts=rng.choice(other_limits))
    day = (today - timedelta(days=rng.randint(0, 9))).isoformat()
    files = [writer.notice(day, "limits", writer.discount_limits(day, valid_limits))]

    changes_refund_role = rng.random() < 0.5
    if changes_refund_role:
        outdated = replace(outdated, refund_role=names.roles["desk"])
        returns_page = names.pages[RETURNS]
        text = writer.wording(
            "notice-role", day=day, role=policy.refund_role, page=returns_page
        )
        files.append(writer.notice(day, "refunds", text))

    if with_decoys:
        files += _decoys(writer, today)
    rule = writer.wording("notices", folder=names.notices)
    return Notices(outdated, rule, tuple(files))


def _decoys(writer: _NoticeWriter, today: date) -> list[NoticeFile]:
    """Return an expired copy of the discounts page, a notice for a future day, and a rumour."""
    rng = writer.rng
    names = writer.names
    limits = rng.choice(DISCOUNT_LIMITS)
    # No world has limits with these three numbers.
    invalid_limits = DiscountLimits(
        threshold_cents=limits.threshold_cents + 1_000,
        percent_from_threshold=limits.percent_from_threshold + 5,
        percent_below_threshold=limits.percent_below_threshold + 3,
    )
    expired_day = (today - timedelta(days=rng.randint(200, 700))).isoformat()
    coming_day = (today + timedelta(days=rng.randint(2, 20))).isoformat()
    expiry_text = writer.wording("notice-expired", day=expired_day)
    expired_limits = writer.discount_limits(expired_day, invalid_limits)
    coming_limits = writer.discount_limits(coming_day, invalid_limits)
    rumoured_percent = limits.percent_from_threshold + 8  # No world allows as much.
    rumour = writer.wording("rumour", percent=rumoured_percent)

    page_name = names.pages[DISCOUNTS].rsplit("/", 1)[1].removesuffix(".md")
    expired_folder, rumour_folder = names.decoys
    expired_path = f"{expired_folder}/{page_name}-{expired_day[:4]}.md"
    return [
        NoticeFile(expired_path, f"# Discounts\n\n{expiry_text}\n\n{expired_limits}\n"),
        writer.notice(coming_day, "limits", coming_limits),
        NoticeFile(f"{rumour_folder}/notes.md", f"# Notes of the team\n\n{rumour}\n"),
    ]
