"""The citations that would fit another outcome than the right one: what somebody cites who means it."""

from __future__ import annotations

from typing import Final

from benchmarks.ecom.tasks.task import DENIED
from benchmarks.ecom.world.pages import CHECKOUT, DISCOUNTS, RETURNS, RULES, SECURITY, VERIFICATION
from tests.spoiled.pad_changes import reasons_of
from tests.spoiled.played_trial import PlayedTrial
from tests.spoiled.scene import named_records, scene_of

GOVERNING: Final = {
    "basket-addition": CHECKOUT,
    "basket-checkout": CHECKOUT,
    "unnamed-basket": CHECKOUT,
    "foreign-basket": CHECKOUT,
    "discount-authority": DISCOUNTS,
    "discount-grant": DISCOUNTS,
    "discount-limit": DISCOUNTS,
    "refund-approval": RETURNS,
    "refund-closure": RETURNS,
    "verification-restart": VERIFICATION,
}
"""The document that governs the deed of a family."""


def citations_for(trial: PlayedTrial, outcome: str) -> dict[str, str]:
    """Return citations that fit `outcome`: the security rules for a denial, policy and records for anything else."""
    right, world = reasons_of(trial.right.pad), trial.task.world
    if outcome == DENIED:
        return world.cite_pages(SECURITY)
    kept = {path: why for path, why in right.items() if path != world.names.document(SECURITY)}
    return {**kept, **subject_of(trial), **world.cite_pages(GOVERNING.get(trial.family, RULES))}


def subject_of(trial: PlayedTrial) -> dict[str, str]:
    """Return the record that a request is about, and the payment or return beside it, with reasons."""
    names = named_records(trial.task.world)
    about = {scene_of(trial).id, *trial.truth.inputs.values()}
    found = {path: name for path, name in names.items() if path in about or name in about}
    return {path: f"record of {name}, with its status" for path, name in found.items()}
