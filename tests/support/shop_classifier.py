"""Scripted classifiers for the embedded shop: right by what a task is about, mute, or wrong in a share of the flags."""

import json
import random
import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from benchmarks.ecom.tasks.task import Truth
from toolkit.requests import Intent

NAMES = {field.name: field.type for field in fields(Intent)}
DEFAULTS = {name: "" if kind == "str" else False for name, kind in NAMES.items()}
BASKET = re.compile(r"\b[a-z]+[-_]\d+\b")
ROLE = re.compile(r"`([^`]+)`")
BRANCH = re.compile(r"(?:^At |\bat (?:the )?)([A-Z][^?]*?)(?:, how many|\?|$)")
FOLDER = re.compile(r"/tmp/[\w./-]*\w")
PERSON = re.compile(r"\b([A-Z]\w+ [A-Z]\w+)\b")
CHECKOUT = re.compile(r"check ?-?out|buy|finish|complete|go ahead|submit", re.I)
BLOCK = "a block that poses"


def right_flags(family: str, truth: Truth, asker_is_staff: bool) -> dict[str, Any]:
    """Return what a classifier without a fault says of a task."""
    text = truth.instruction
    said: dict[str, Any] = dict(DEFAULTS)
    basket = next((each for each in BASKET.findall(text) if each.startswith(("basket", "cart"))), "")
    if BLOCK in truth.message:
        said["override"] = True
    elif family in ("basket-checkout", "foreign-basket", "unnamed-basket"):
        said |= {"checkout": bool(CHECKOUT.search(text)), "basket_id": basket}
    elif family == "basket-addition":
        said |= {"file_change": True, "selector": "newest"}
    elif family.startswith("discount"):
        said |= {"discount": True, "basket_id": basket}
        promised = not asker_is_staff and re.search("promis|approv|agree|said", text)
        said |= {"claims_approval": bool(promised), "approver": (PERSON.findall(text) or [""])[0] if promised else ""}
    elif family == "staff-contact":
        said |= {"contact": True, "contact_person": (PERSON.findall(text) or [""])[0]}
    elif family == "staff-count":
        branch = BRANCH.search(text)
        said |= {"count_staff": True, "role": ROLE.findall(text)[0], "branch": branch[1].strip() if branch else ""}
    elif family == "temporary-files":
        said |= {"file_change": True, "tmp_path": FOLDER.findall(text)[0]}
    elif family in ("inventory-export", "crosslist"):
        said["file_change"] = True
    return said


def wrong_in(share: float, said: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return flags of which each is wrong with a probability: turned, emptied, or made up. The key seeds the draw."""
    draw = random.Random(key)
    wrong = dict(said)
    for name, value in said.items():
        if draw.random() < share:
            made_up = {"selector": "oldest", "tmp_path": "/tmp/other"}.get(name, "Somebody")
            wrong[name] = not value if isinstance(value, bool) else "" if value else made_up
    return wrong


def reply_of(said: Mapping[str, Any]) -> str:
    """Return flags as the classifier replies them."""
    return json.dumps(said)
