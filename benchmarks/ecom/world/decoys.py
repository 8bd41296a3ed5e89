"""Decoys: files that only appear to override a page, and have no effect.

There are three: an expired copy of the page on discounts, a notice for a day in the future, and
a rumour among colleagues. Their numbers are valid in no world, so an answer that follows
one of them is wrong.
"""

from __future__ import annotations

from datetime import date, timedelta

from controlplane.benchmarks.ecom.world.company.policy import (
    DISCOUNT_LIMITS,
    DiscountLimits,
)
from controlplane.benchmarks.ecom.world.notice_writer import NoticeFile, NoticeWriter
from controlplane.benchmarks.ecom.world.pages import DISCOUNTS


def decoy_files(writer: NoticeWriter, today: date) -> list[NoticeFile]:
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
