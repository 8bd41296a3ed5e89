"""Dated notices that override the pages of a world.

The page on discounts says "up to 12 percent", and a notice of last Monday says "up to 15
percent from today on". 15 is right. Some worlds also have decoys, which only appear to
override a page.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random

from controlplane.benchmarks.ecom.world.company.discount_limits import (
    DISCOUNT_LIMITS,
    DiscountLimits,
)
from controlplane.benchmarks.ecom.world.company.policy import Policy
from controlplane.benchmarks.ecom.world.decoys import decoy_files
from controlplane.benchmarks.ecom.world.names.world_names import WorldNames
from controlplane.benchmarks.ecom.world.notice_writer import NoticeFile, NoticeWriter


@dataclass(frozen=True, slots=True)
class Notices:
    """The notices of a world, and the policy that its pages state in spite of them."""

    stated_policy: Policy
    """The policy that the pages state. `World.policy` is the valid one.

    Where the two differ, a notice has the valid value. Without notices, they are the same.
    """
    rule: str = ""
    """A sentence for the page of rules: "Notices override pages." Empty if there are none."""
    files: tuple[NoticeFile, ...] = ()
    """The notices, and possibly decoys, which contradict them."""


def choose_notices(
    rng: Random, policy: Policy, names: WorldNames, today: date, *, with_decoys: bool
) -> Notices:
    """Choose what the pages state wrongly, and the notices that override it.

    `policy` is the valid one. The pages state other discount limits and, in half of the
    worlds, another role for refunds.
    """
    writer = NoticeWriter(rng, names)
    wrong_limits = rng.choice(_limits_other_than(policy.discounts))
    stated_policy = replace(policy, discounts=wrong_limits)
    day = (today - timedelta(days=rng.randint(0, 9))).isoformat()
    files = [writer.limits_notice(day, policy.discounts)]
    if rng.random() < 0.5:
        stated_policy = replace(stated_policy, refund_role=names.roles["desk"])
        files.append(writer.refund_role_notice(day, policy.refund_role))

    if with_decoys:
        files += decoy_files(writer, today)
    rule = writer.wording("notices", folder=names.notices)
    return Notices(stated_policy, rule, tuple(files))


def _limits_other_than(valid_limits: DiscountLimits) -> list[DiscountLimits]:
    """Return the limits that no basket can mistake for the valid ones: all with another threshold."""
    others = []
    for limits in DISCOUNT_LIMITS:
        if limits.threshold_cents != valid_limits.threshold_cents:
            others.append(limits)
    return others
