"""Finds the period in which a document is in force, from its name and the fields at its top.

The document `/docs/2031-05-02-keys.md` is in force from 2 May on. If it begins with these
lines, it is in force until the end of 30 June:

    ---
    valid until: 2031-06-30
    ---
"""

from __future__ import annotations

from datetime import tzinfo

from controlplane.agent.retrieval.document_search.front_matter import front_matter
from controlplane.agent.retrieval.document_search.validity import Moment, Period
from controlplane.agent.retrieval.document_search.written_moments import (
    DAY,
    moment_of,
    zone_of,
)
from controlplane.sandbox.interface import DocumentDates


def day_in_name(path: str) -> str:
    """Return the first day in the name of a file, such as `2031-05-02`; empty without one."""
    days = DAY.findall(path.rpartition("/")[2])
    return str(days[0]) if days else ""


def has_date_keys(dates: DocumentDates) -> bool:
    """Return True if documents may give dates in the fields at their top."""
    return bool(dates.from_keys or dates.until_keys)


def period_of(dates: DocumentDates, path: str, text: str) -> Period:
    """Return the period in which a document is in force.

    `dates` says which fields at the top of documents have its begin and its end. If none has
    the begin, it is the day in the document's name.
    """
    zone = zone_of(dates.zone)
    fields = front_matter(text) if has_date_keys(dates) else {}
    begins = _first_moment(fields, dates.from_keys, zone, is_end=False)
    ends = _first_moment(fields, dates.until_keys, zone, is_end=True)
    if begins is None and dates.in_names:
        begins = moment_of(day_in_name(path), zone, is_end=False)  # None without a day
    return Period(begins, ends)


def _first_moment(
    fields: dict[str, str], keys: tuple[str, ...], zone: tzinfo | None, *, is_end: bool
) -> Moment | None:
    """Return the moment in the first of the fields that has one.

    The fields `{"valid until": "2031-06-30"}` and the key `valid until` give the end of
    that day.
    """
    for key in keys:
        value = fields.get(key.casefold(), "")
        moment = moment_of(value, zone, is_end=is_end)
        if moment is not None:
            return moment
    return None
