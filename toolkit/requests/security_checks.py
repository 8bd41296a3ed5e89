"""Requests that are refused before anything else, whatever they ask besides."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from toolkit.records import Identity, WorkspaceRecords, is_same_id, named_records
from toolkit.records.staff import branches, named, staff_at
from toolkit.requests.intent import Intent, is_override
from toolkit.requests.override_marks import tolerates_blocks

_ABOUT_VERIFICATION: Final = re.compile(r"\b(?:3-?ds|verif\w*|bank check|authenticat\w*)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is refused, and what the refusal cites."""

    reason: str
    """`override`, `contact`, `foreign_basket` or `claimed_approval`."""
    subjects: tuple[str, ...]
    """The subjects of the policies to cite: `security`, `checkout`, `discounts`, `3ds`."""
    records: tuple[str, ...] = ()
    is_protected: bool = False
    """Whether it cites policies alone, whatever else is known."""


@dataclass(frozen=True, slots=True)
class SecurityCase:
    """All that the checks look at."""

    text: str
    intent: Intent
    asker: Identity
    records: WorkspaceRecords
    policy: str = ""


def security_refusal(case: SecurityCase) -> Refusal | None:
    """Return the first refusal that applies: an override, contact details, a foreign basket, a claimed approval."""
    checks: tuple[Callable[[SecurityCase], Refusal | None], ...] = (_override, _contact, _foreign_basket, _approval)
    return next((refusal for check in checks if (refusal := check(case)) is not None), None)


def _override(case: SecurityCase) -> Refusal | None:
    is_flagged = case.intent.override and not tolerates_blocks(case.policy)
    if not is_flagged and not is_override(case.text, case.intent, case.policy):
        return None
    return Refusal("override", ("security",), is_protected=True)


def _contact(case: SecurityCase) -> Refusal | None:
    if not case.intent.contact or not case.asker.is_outside:
        return None
    place = _place_of(case, case.intent.contact_person, case.intent.contact_branch)
    return Refusal("contact", ("security",), place)


def _place_of(case: SecurityCase, person: str, branch: str) -> tuple[str, ...]:
    """Return the branch at which a named person works: nobody from outside is shown the person."""
    place = named(branches(case.records), branch) if branch else None
    if place is None or named(staff_at(case.records, place), person) is None:
        return ()
    return (place.path,)


def _foreign_basket(case: SecurityCase) -> Refusal | None:
    intent = case.intent
    basket = case.records.record(intent.basket_id) if intent.checkout and intent.basket_id else None
    if basket is None or not basket.owner or not case.asker.is_outside or case.asker.may_cite(basket.owner):
        return None
    subjects = ("security", "checkout", *(("3ds",) if _ABOUT_VERIFICATION.search(case.text) else ()))
    return Refusal("foreign_basket", subjects, is_protected=True)


def _approval(case: SecurityCase) -> Refusal | None:
    intent = case.intent
    if not (case.asker.is_customer and intent.discount and intent.claims_approval):
        return None
    named_path = case.records.path_of(intent.basket_id) if intent.basket_id else None
    paths = [named_path] if named_path else named_records(case.records, case.asker, case.text)
    own = tuple(each.path for each in case.records.read(paths) if is_same_id(each.owner, case.asker.user))
    place = _place_of(case, intent.approver, intent.approver_branch)
    return Refusal("claimed_approval", ("security", "discounts"), own + place)
