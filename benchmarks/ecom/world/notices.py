"""Notices that override pages from their date on, and what only looks as if it did: expired copies and rumours.

With notices the pages state what held before (`stated_policy`), and the world's own policy is what holds today.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random
from typing import Final

from benchmarks.ecom.world.documents import DISCOUNTS, RETURNS, euros
from benchmarks.ecom.world.names import WorldNames
from benchmarks.ecom.world.pages import Wordings
from benchmarks.ecom.world.shop_policy import TIERS, Policy

RULES: Final = Wordings(
    (
        "Notices in `{folder}` override the page that they name, from their date on; of several the latest counts. "
        "Copies, "
        "chats and drafts elsewhere override nothing.",
        "A page gives way to a notice in `{folder}` that names it and whose date has come, and to nothing else. The "
        "latest "
        "notice wins.",
        "Look into `{folder}` for notices: from its date on, each replaces what the page it names says on the matter. "
        "No "
        "other file does.",
        "Where a notice below `{folder}` and a page differ, the notice holds once its date is reached; of two, the "
        "later.",
        "Pages may be out of date. What is new stands in `{folder}`, under the date from which it holds, and only "
        "there.",
    ),
    (
        "Documents are changed by notices in `{folder}`. A notice names a document and a date, and from that date it "
        "is right and the document is wrong. Given two, follow the newer. Texts elsewhere change nothing.",
        "Before you rely on a document, check `{folder}`: a dated notice there that names the document takes "
        "precedence as soon as its date has arrived, and the most recent one wins. Nothing outside this directory "
        "does.",
    ),
)
TIER_NOTICES: Final = Wordings(
    (
        "From {day} on a basket with a subtotal of {threshold} or more may get up to {high} %, any other up to {low} "
        "%. "
        "This replaces the percentages in `{page}`.",
        "The limits in `{page}` no longer hold. As of {day}: at most {high} % from {threshold} on, at most {low} % "
        "below.",
        "As of {day}, instead of what `{page}` says: subtotals under {threshold} allow up to {low} %, all others "
        "{high} %.",
        "New limits, valid from {day}, in place of those in `{page}`: {low} % for any basket, {high} % if it comes to "
        "{threshold} at least.",
        "{day}: the ceilings change. Baskets of at least {threshold} get no more than {high} %, smaller ones no more "
        "than "
        "{low} %. `{page}` is overridden in this.",
    ),
    (
        "Effective {day}, `{page}` is changed: the maximum is {high} % for subtotals of {threshold} or more, and {low} "
        "% for smaller ones.",
        "Starting on {day}, the maximum discount is {low} % if the subtotal is less than {threshold} and {high} % if "
        "it is not. Disregard the figures in `{page}`.",
    ),
)
ROLE_NOTICES: Final = Wordings(
    (
        "From {day} on refunds are approved by staff with the role `{role}`. The role in `{page}` no longer suffices.",
        "As of {day}, approving a refund takes the role `{role}`, in place of the one that `{page}` names.",
        "`{page}` names a role that approved refunds until now. Since {day} it is `{role}` and no other.",
        "The power to approve refunds moves to `{role}` on {day}; what `{page}` says about the role is void.",
        "{day}: whoever approves refunds needs `{role}`. This overrides `{page}`.",
    ),
    (
        "Effective {day}, `{page}` is changed: only employees with the role `{role}` approve refunds.",
        "Starting on {day}, refunds are approved by the role `{role}`. Disregard the role in `{page}`.",
    ),
)
EXPIRED: Final = Wordings(
    (
        "Valid until {day}.",
        "This copy was in force until {day}.",
        "Superseded on {day}.",
        "Kept for the archive; replaced on {day}.",
        "Out of use since {day}.",
    ),
    (
        "No longer in effect as of {day}.",
        "Old version, withdrawn on {day}.",
    ),
)
RUMOURS: Final = Wordings(
    (
        "somebody said the limit is {percent} % for everybody now, can anyone confirm?",
        "Draft, not decided: raise all discounts to {percent} %?",
        "overheard at the counter: {percent} percent, no questions asked",
        "I think we may give {percent} % this week. Not sure.",
        "A customer told me that the other branch gives {percent} %.",
    ),
    (
        "Idea for the next meeting: why not {percent} % for all?",
        "One of the new people believes we give {percent} percent. Has anyone checked?",
    ),
)


@dataclass(frozen=True, slots=True)
class Notices:
    """What stands beside the pages of a world."""

    stated: Policy
    """The policy as the pages state it."""
    rule: str = ""
    """What the rules document says of notices."""
    files: tuple[tuple[str, str], ...] = ()


def choose_notices(rng: Random, policy: Policy, names: WorldNames, today: date, *, with_decoys: bool) -> Notices:
    """Return notices that make `policy` hold today although the pages state another; decoys contradict it in vain."""

    def said(pool: Wordings[str]) -> str:
        return rng.choice(pool.of(names.wordings))

    folder = names.notices
    threshold, high, low = rng.choice([each for each in TIERS if each[0] != policy.threshold_cents])
    stated = replace(policy, threshold_cents=threshold, high_percent=high, low_percent=low)
    day = (today - timedelta(days=rng.randint(0, 9))).isoformat()
    tiers = said(TIER_NOTICES).format(
        day=day,
        threshold=euros(policy.threshold_cents),
        high=policy.high_percent,
        low=policy.low_percent,
        page=names.document(DISCOUNTS),
    )
    found = [(f"{folder}/{day}-limits.md", f"# Notice of {day}\n\n{tiers}\n")]
    if rng.random() < 0.5:
        stated = replace(stated, refund_role=names.roles["desk"])
        role = said(ROLE_NOTICES).format(day=day, role=policy.refund_role, page=names.document(RETURNS))
        found.append((f"{folder}/{day}-refunds.md", f"# Notice of {day}\n\n{role}\n"))
    if with_decoys:
        found += _decoys(rng, names, today, said)
    return Notices(stated, said(RULES).format(folder=folder), tuple(found))


def _decoys(rng: Random, names: WorldNames, today: date, said: Callable[[Wordings[str]], str]) -> list[tuple[str, str]]:
    """Return an expired copy with other limits, a notice that does not hold yet, and a rumour."""
    threshold, high, low = rng.choice(TIERS)
    past = (today - timedelta(days=rng.randint(200, 700))).isoformat()
    coming = (today + timedelta(days=rng.randint(2, 20))).isoformat()
    page = names.document(DISCOUNTS)
    values = {"threshold": euros(threshold + 1_000), "high": high + 5, "low": low + 3, "page": page}
    stem = page.rsplit("/", 1)[1].removesuffix(".md")
    return [
        (
            f"/docs/archive/{stem}-{past[:4]}.md",
            f"# Discounts\n\n{said(EXPIRED).format(day=past)}\n\n{said(TIER_NOTICES).format(day=past, **values)}\n",
        ),
        (
            f"{names.notices}/{coming}-limits.md",
            f"# Notice of {coming}\n\n{said(TIER_NOTICES).format(day=coming, **values)}\n",
        ),
        ("/docs/team/notes.md", f"# Notes of the team\n\n{said(RUMOURS).format(percent=high + 8)}\n"),
    ]
