"""Decoys: files that only appear to override a page, and have no effect.

There are three: an expired copy of the page on discounts, a notice for a day in the future, and
a rumour among colleagues. Their numbers are valid in no world, so an answer that follows
one of them is wrong.
"""

from __future__ import annotations

from datetime import date, timedelta

from controlplane.benchmarks.ecom.world.company.discount_limits import (
    DISCOUNT_LIMITS,
    DiscountLimits,
)
from controlplane.benchmarks.ecom.world.notice_writer import NoticeFile, NoticeWriter
from controlplane.benchmarks.ecom.world.pages import DISCOUNTS


def decoy_files(writer: NoticeWriter, today: date) -> list[NoticeFile]:
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


def _expired_page(writer: NoticeWriter, day: str, limits: DiscountLimits) -> NoticeFile:
    """Return an old copy of the discounts page: `/archive/discounts-2025.md`."""
    expiry_text = writer.wording("notice-expired", day=day)
    limits_text = writer.limits_text(day, limits)
    page_path = writer.names.pages[DISCOUNTS]
    page_name = page_path.rsplit("/", 1)[1].removesuffix(".md")
    path = f"{writer.names.expired_folder}/{page_name}-{day[:4]}.md"
    text = f"# Discounts\n\n{expiry_text}\n\n{limits_text}\n"
    return NoticeFile(path, text)


def _rumour(writer: NoticeWriter, percent: int) -> NoticeFile:
    """Return notes in which somebody has heard of a higher discount."""
    rumour = writer.wording("rumour", percent=percent)
    path = f"{writer.names.rumour_folder}/notes.md"
    return NoticeFile(path, f"# Notes of the team\n\n{rumour}\n")
