"""Ways of doing something, kept apart. Who writes or changes a gate or a rule does not read this module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from benchmarks.ecom.solutions.reference_client import ReferenceClient, Solution
from benchmarks.ecom.tasks.task import Truth
from tests.spoiled.pad_changes import reasons_of, with_reasons, without
from tests.spoiled.played_trial import Pad, PlayedTrial
from tests.spoiled.script_variants import after, attempt
from tests.spoiled.strangers import another_kind, folder_of, neighbours

_RULES: Final = "/AGENTS.MD"


def _with_rules(pad: Pad) -> Pad:
    return with_reasons(pad, {**reasons_of(pad), _RULES: "workspace rules: permission is settled by /docs/security.md"})


DRESSINGS: Final[Mapping[str, Mapping[str, Callable[[Pad], Pad]]]] = {
    "dressings": {
        "plain": lambda pad: without(pad, "tokens"),
        "tokens": lambda pad: {**pad, "tokens": [pad["answer"]]},
        "with-rules": _with_rules,
    }
}

CHOICES: Final[Mapping[str, Mapping[str, Callable[[list[str]], list[str]]]]] = {
    "drops": {
        "first": lambda refs: refs[:1],
        "half": lambda refs: refs[: len(refs) // 2],
    },
    "parts": {
        "half": lambda refs: refs[: len(refs) // 2],
        "all-but-two": lambda refs: refs[2:],
    },
}

STRANGERS: Final[Mapping[str, Mapping[str, Callable[[PlayedTrial], list[str]]]]] = {
    "extras": {
        "previous-in-folder": lambda trial: neighbours(trial, -1),
        "another-kind": another_kind,
    }
}


def _read_more(client: ReferenceClient, truth: Truth) -> None:
    for path in truth.records:
        found = attempt(client, "list", {"path": folder_of(path)}) or {}
        entries = found.get("entries")
        for entry in entries[:4] if isinstance(entries, list) else ():
            if isinstance(entry, dict) and not entry["is_dir"]:
                attempt(client, "read", {"path": str(entry["path"])})


SCRIPTS: Final[Mapping[str, Mapping[str, Callable[[Solution], Solution]]]] = {
    "traces": {
        "as-solved": lambda solution: solution,
        "reads-more": lambda solution: after(_read_more, solution),
    }
}
