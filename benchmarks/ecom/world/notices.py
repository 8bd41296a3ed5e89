"""Dated notices that override the pages of a world.

The page on discounts says "up to 12 percent", and a notice of last Monday says "up to 15
percent from today on". 15 is right. Some worlds also have decoys, which only appear to
override a page.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random

from controlplane.benchmarks.ecom.world.company.policy import DISCOUNT_LIMITS, Policy
from controlplane.benchmarks.ecom.world.decoys import decoy_files
from controlplane.benchmarks.ecom.world.names.world_names import WorldNames
from controlplane.benchmarks.ecom.world.notice_writer import NoticeFile, NoticeWriter
from controlplane.benchmarks.ecom.world.pages import RETURNS


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


def choose_notices(
    rng: Random, policy: Policy, names: WorldNames, today: date, *, with_decoys: bool
) -> Notices:
    """Choose an outdated policy for the pages, and the notices that override it.

    `policy` is the valid one. The outdated one has other discount limits, and in half of
    the worlds another role for refunds. With decoys, files that are not valid today and a
    rumour contradict `policy`.
    """
    writer = NoticeWriter(rng, names)
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
        files += decoy_files(writer, today)
    rule = writer.wording("notices", folder=names.notices)
    return Notices(outdated, rule, tuple(files))
