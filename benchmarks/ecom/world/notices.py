"""Dated notices that override pages, and decoys that only seem to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random

from controlplane.benchmarks.ecom.world.company import TIERS, Policy
from controlplane.benchmarks.ecom.world.names import WorldNames
from controlplane.benchmarks.ecom.world.pages import DISCOUNTS, RETURNS
from controlplane.benchmarks.ecom.world.wordings import euros, wordings


@dataclass(frozen=True, slots=True)
class Notices:
    """The notices beside the pages of a world."""

    stated: Policy
    """The policy as the pages state it; the world's own policy holds today."""
    rule: str = ""
    """What the page of rules says about notices."""
    files: tuple[tuple[str, str], ...] = ()
    """Paths and texts."""


@dataclass(frozen=True, slots=True)
class _NoticeWriter:
    """Writes the notices of one world."""

    rng: Random
    names: WorldNames

    def say(self, name: str, **values: object) -> str:
        """Return a wording with its values."""
        return self.rng.choice(wordings()[name].of(self.names.wordings)).format(**values)

    def notice(self, day: str, subject: str, text: str) -> tuple[str, str]:
        """Return path and text of a notice."""
        path = f"{self.names.notices}/{day}-{subject}.md"
        return path, f"# Notice of {day}\n\n{text}\n"

    def discount_tiers(self, day: str, threshold_cents: int, high: int, low: int) -> str:
        """Return the statement that from a day on these maximal discounts hold."""
        return self.say(
            "notice-tiers",
            day=day,
            threshold=euros(threshold_cents),
            high=high,
            low=low,
            page=self.names.documents[DISCOUNTS],
        )


def choose_notices(
    rng: Random, policy: Policy, names: WorldNames, today: date, *, with_decoys: bool
) -> Notices:
    """Return notices by which `policy` holds today, though the pages state another.

    With decoys, other notices and a rumour contradict it, and do not hold.
    """
    writer = _NoticeWriter(rng, names)
    other_tiers = [tier for tier in TIERS if tier[0] != policy.threshold_cents]
    threshold_cents, high_percent, low_percent = rng.choice(other_tiers)
    stated = replace(
        policy,
        threshold_cents=threshold_cents,
        high_percent=high_percent,
        low_percent=low_percent,
    )
    day = (today - timedelta(days=rng.randint(0, 9))).isoformat()
    tiers = writer.discount_tiers(
        day, policy.threshold_cents, policy.high_percent, policy.low_percent
    )
    files = [writer.notice(day, "limits", tiers)]
    if rng.random() < 0.5:
        stated = replace(stated, refund_role=names.roles["desk"])
        returns_page = names.documents[RETURNS]
        text = writer.say("notice-role", day=day, role=policy.refund_role, page=returns_page)
        files.append(writer.notice(day, "refunds", text))
    if with_decoys:
        files += _decoys(writer, today)
    rule = writer.say("notices", folder=names.notices)
    return Notices(stated, rule, tuple(files))


def _decoys(writer: _NoticeWriter, today: date) -> list[tuple[str, str]]:
    """Return an expired copy of the discounts' page, a notice that does not hold yet, and a rumour."""
    rng = writer.rng
    names = writer.names
    threshold_cents, high, low = rng.choice(TIERS)
    expired_day = (today - timedelta(days=rng.randint(200, 700))).isoformat()
    coming_day = (today + timedelta(days=rng.randint(2, 20))).isoformat()
    is_expired = writer.say("notice-expired", day=expired_day)
    expired_tiers = writer.discount_tiers(expired_day, threshold_cents + 1_000, high + 5, low + 3)
    coming_tiers = writer.discount_tiers(coming_day, threshold_cents + 1_000, high + 5, low + 3)
    rumour = writer.say("rumour", percent=high + 8)

    page_name = names.documents[DISCOUNTS].rsplit("/", 1)[1].removesuffix(".md")
    expired_folder, rumour_folder = names.decoys
    expired_path = f"{expired_folder}/{page_name}-{expired_day[:4]}.md"
    return [
        (expired_path, f"# Discounts\n\n{is_expired}\n\n{expired_tiers}\n"),
        writer.notice(coming_day, "limits", coming_tiers),
        (f"{rumour_folder}/notes.md", f"# Notes of the team\n\n{rumour}\n"),
    ]
