"""Dated notices that override the pages of a world.

The page on discounts says "up to 12 percent", and a notice of last Monday says "up to 15
percent from today on". 15 is right. Some worlds also have decoys, which only appear to
override a page.
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
from controlplane.benchmarks.ecom.world.wordings import euros

# Writes the files of notices: `/docs/notices/2027-03-01-limits.md`, with a day and a text.
#
# A notice says that a rule is valid from a day on: "As of 2027-03-01, instead of what
# `/docs/discounts.md` says: ...". Its wording is random, from the set of wordings that the
# world uses.


class _NoticeFile(NamedTuple):
    """The path and text of a file in a world."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class _NoticeWriter:
    """Writes the notices of one world. A day is a text such as `2027-03-01`."""

    rng: Random
    names: WorldNames

    def limits_notice(self, day: str, limits: DiscountLimits) -> _NoticeFile:
        """Return the notice that these highest discounts are valid from a day on."""
        return self._notice(day, "limits", self.limits_text(day, limits))

    def refund_role_notice(self, day: str, role: str) -> _NoticeFile:
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

    def _notice(self, day: str, subject: str, text: str) -> _NoticeFile:
        path = f"{self.names.notices}/{day}-{subject}.md"
        return _NoticeFile(path, f"# Notice of {day}\n\n{text}\n")


# Decoys: files that only appear to override a page, and have no effect.
#
# There are three: an expired copy of the page on discounts, a notice for a day in the future, and
# a rumour among colleagues. Their numbers are valid in no world, so an answer that follows
# one of them is wrong.


def _decoy_files(writer: _NoticeWriter, today: date) -> list[_NoticeFile]:
    """Return an expired copy of the discounts page, a notice for a future day, and a rumour."""
    rng = writer.rng
    limits = rng.choice(DISCOUNT_LIMITS)
    # No world has limits with these three numbers, nor with the percentage of the rumour.
    invalid_limits = DiscountLimits(
        threshold_cents=limits.threshold_cents + 1_000,
        percent_from_threshold=limits.percent_from_threshold + 5,
        percent_below_threshold=limits.percent_below_threshold + 3,
    )
    rumoured_percent = limits.percent_from_threshold + 8
    expired_day = (today - timedelta(days=rng.randint(200, 700))).isoformat()
    coming_day = (today + timedelta(days=rng.randint(2, 20))).isoformat()
    return [
        _expired_page(writer, expired_day, invalid_limits),
        writer.limits_notice(coming_day, invalid_limits),
        _rumour(writer, rumoured_percent),
    ]


def _expired_page(
    writer: _NoticeWriter, day: str, limits: DiscountLimits
) -> _NoticeFile:
    """Return an old copy of the discounts page: `/archive/discounts-2025.md`."""
    expiry_text = writer.wording("notice-expired", day=day)
    limits_text = writer.limits_text(day, limits)
    page_path = writer.names.pages[DISCOUNTS]
    page_name = page_path.rsplit("/", 1)[1].removesuffix(".md")
    path = f"{writer.names.expired_folder}/{page_name}-{day[:4]}.md"
    text = f"# Discounts\n\n{expiry_text}\n\n{limits_text}\n"
    return _NoticeFile(path, text)


def _rumour(writer: _NoticeWriter, percent: int) -> _NoticeFile:
    """Return notes in which somebody has heard of a higher discount."""
    rumour = writer.wording("rumour", percent=percent)
    path = f"{writer.names.rumour_folder}/notes.md"
    return _NoticeFile(path, f"# Notes of the team\n\n{rumour}\n")


@dataclass(frozen=True, slots=True)
class WorldNotices:
    """The notices of a world, and the policy that its pages state in spite of them."""

    stated_policy: Policy
    """The policy that the pages state. `World.policy` is the valid one.

    Where the two differ, a notice has the valid value. Without notices, they are the same.
    """
    rule: str = ""
    """A sentence for the page of rules: "Notices override pages." Empty if there are none."""
    files: tuple[_NoticeFile, ...] = ()
    """The notices, and possibly decoys, which contradict them."""


def choose_notices(
    rng: Random, policy: Policy, names: WorldNames, today: date, *, with_decoys: bool
) -> WorldNotices:
    """Choose what the pages state wrongly, and the notices that override it.

    `policy` is the valid one. The pages state other discount limits and, in half of the
    worlds, another role for refunds.
    """
    writer = _NoticeWriter(rng, names)
    wrong_limits = rng.choice(_limits_other_than(policy.discounts))
    stated_policy = replace(policy, discounts=wrong_limits)
    day = (today - timedelta(days=rng.randint(0, 9))).isoformat()
    files = [writer.limits_notice(day, policy.discounts)]
    if rng.random() < 0.5:
        stated_policy = replace(stated_policy, refund_role=names.roles["desk"])
        files.append(writer.refund_role_notice(day, policy.refund_role))

    if with_decoys:
        files += _decoy_files(writer, today)
    rule = writer.wording("notices", folder=names.notices)
    return WorldNotices(stated_policy, rule, tuple(files))


def _limits_other_than(valid_limits: DiscountLimits) -> list[DiscountLimits]:
    """Return the limits that no basket can mistake for the valid ones: all with another threshold."""
    others = []
    for limits in DISCOUNT_LIMITS:
        if limits.threshold_cents != valid_limits.threshold_cents:
            others.append(limits)
    return others
