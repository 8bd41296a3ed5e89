"""Rule packs: rules that hold for one kind of benchmark and run beside the gates."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from gates.types.evidence import Evidence
from gates.types.submission import Case, Submission
from gates.types.verdict import PACK_GATE, Verdict

REGISTERED: Final = {"ecom": "benchmarks.shop:PACK"}
"""Packs that have a short name."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a pack."""

    name: str
    fault_of: Callable[[Submission, Evidence, Case], str]
    """Returns the fix-it text of the fault it finds, or an empty string."""

    def judge(self, pack: str, submission: Submission, evidence: Evidence, case: Case) -> Verdict:
        """Return the rule's verdict, named `pack/rule`."""
        fault = self.fault_of(submission, evidence, case)
        return Verdict(PACK_GATE, f"{pack}/{self.name}", "reject", fault) if fault else _pass_of(pack, self.name)


@lru_cache(maxsize=256)
def _pass_of(pack: str, rule: str) -> Verdict:
    """Return the verdict with which a rule passes; the same object every time."""
    return Verdict(PACK_GATE, f"{pack}/{rule}", "pass")


@dataclass(frozen=True, slots=True)
class Pack:
    """A named set of rules that are switched on together."""

    name: str
    rules: tuple[Rule, ...]


class PackError(ValueError):
    """There is no pack under the given name."""


def load_pack(name: str) -> Pack:
    """Return a registered pack by its name, or the pack at `importable.module:ATTRIBUTE`. Raises `PackError`."""
    module, _, attribute = REGISTERED.get(name, name).partition(":")
    known = ", ".join(REGISTERED)
    if not attribute:
        msg = f"no rule pack is called {name!r}: use one of {known}, or importable.module:ATTRIBUTE"
        raise PackError(msg)
    try:
        pack = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as fault:
        msg = f"the rule pack {name!r} cannot be loaded: {fault}"
        raise PackError(msg) from fault
    if not isinstance(pack, Pack):
        msg = f"{name!r} is a {type(pack).__name__}, no gates.rule_packs.Pack"
        raise PackError(msg)
    return pack
