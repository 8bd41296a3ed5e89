"""Ways of doing something where there are no words to vary: how a submission is dressed, what it leaves out or adds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from benchmarks.ecom.solutions.reference_client import ReferenceClient, Solution
from benchmarks.ecom.tasks.task import Truth
from tests.spoiled.pad_changes import reasons_of, record_name, with_reasons, without
from tests.spoiled.played_trial import Pad, PlayedTrial
from tests.spoiled.script_variants import after, ask_for_help, attempt, fail_a_query, followed
from tests.spoiled.strangers import folder_of, neighbours, same_owner


def _with_a_fact(pad: Pad) -> Pad:
    refs = reasons_of(pad)
    if not refs:
        return pad
    slot = {
        "value": pad["answer"],
        "description": "what is asked",
        "source": next(iter(refs)),
        "confidence": "verified",
    }
    return {**without(pad, "tokens"), "facts": {"answer": slot}}


def _argued(pad: Pad) -> Pad:
    return with_reasons(pad, {path: f"{why}; hence {pad['answer']}" for path, why in reasons_of(pad).items()})


def _reversed(pad: Pad) -> Pad:
    return with_reasons(pad, dict(reversed(reasons_of(pad).items())))


def _padded(pad: Pad) -> Pad:
    return with_reasons(pad, {path: f"looked up with care, since {why}" for path, why in reasons_of(pad).items()})


def _terse(pad: Pad) -> Pad:
    reasons = reasons_of(pad)
    short = {path: f"{record_name(path)} itself" for path in reasons if path.startswith("/proc/")}
    return with_reasons(without(pad, "tokens"), {**reasons, **short})


DRESSINGS: Final[Mapping[str, Mapping[str, Callable[[Pad], Pad]]]] = {
    "dressings": {
        "facts": _with_a_fact,
        "argued": _argued,
        "changes-empty": lambda pad: pad if pad.get("changes") else {**pad, "changes": []},
        "reversed-order": _reversed,
        "padded-reasons": _padded,
        "terse-reasons": _terse,
    }
}

Choice = Callable[[list[str]], list[str]]
CHOICES: Final[Mapping[str, Mapping[str, Choice]]] = {
    "drops": {
        "last": lambda refs: refs[-1:],
        "middle": lambda refs: refs[len(refs) // 2 :][:1],
        "the-longest": lambda refs: sorted(refs, key=len)[-1:],
        "every-other": lambda refs: refs[1::2],
        "a-document": lambda refs: [path for path in refs if not path.startswith("/proc/")][:1],
    },
    "parts": {
        "one": lambda refs: refs[:1],
        "two": lambda refs: refs[:2],
        "all-but-one": lambda refs: refs[1:],
    },
}

STRANGERS: Final[Mapping[str, Mapping[str, Callable[[PlayedTrial], list[str]]]]] = {
    "extras": {
        "next-in-folder": lambda trial: neighbours(trial, 1),
        "two-strangers": lambda trial: [*neighbours(trial, 2), *neighbours(trial, -2)],
        "same-owner": same_owner,
        "far-neighbour": lambda trial: neighbours(trial, 7),
    }
}


def _query_first(client: ReferenceClient, truth: Truth) -> None:
    fail_a_query(client, "baskets", "status = 'active'")


def _read_back(client: ReferenceClient, truth: Truth) -> None:
    for path in (*truth.changes, *truth.records):
        attempt(client, "read", {"path": path})


def _list_folders(client: ReferenceClient, truth: Truth) -> None:
    for path in truth.records:
        attempt(client, "list", {"path": folder_of(path)})


SCRIPTS: Final[Mapping[str, Mapping[str, Callable[[Solution], Solution]]]] = {
    "traces": {
        "failed-query-first": lambda solution: after(_query_first, solution),
        "reads-back": lambda solution: followed(solution, _read_back),
        "lists-folders": lambda solution: after(_list_folders, solution),
        "asks-help-first": lambda solution: after(ask_for_help, solution),
    }
}
