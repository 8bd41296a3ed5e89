"""Rule packs: rules that hold for one kind of benchmark and run beside the gates."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from gates.reading.workspace_reader import DoesNotApply, Reader
from gates.types.evidence import Evidence
from gates.types.submission import Case, Submission
from gates.types.verdict import MAX_REASON_CHARS, PACK_GATE, Verdict

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
class Recomputation:
    """A rule of a pack that reads the workspace and computes again what an answer states.

    It rejects only where the result is certain. Its message names record and fault, never the value.
    """

    name: str
    fault_of: Callable[[Submission, Evidence, Case, Reader], str]
    """Returns the fix-it text of the fault it finds, or an empty string. Raises `DoesNotApply` where it cannot tell."""

    def judge(self, pack: str, submission: Submission, evidence: Evidence, case: Case, reader: Reader) -> Verdict:
        """Return the rule's verdict, named `pack/rule`. Raises `gates.reading.Unanswered` for what it waits for."""
        try:
            fault = self.fault_of(submission, evidence, case, reader)
        except DoesNotApply as why:
            return not_applicable(pack, self.name, str(why)[:MAX_REASON_CHARS])
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as odd:
            return not_applicable(pack, self.name, f"what was read has another form ({type(odd).__name__})")
        return Verdict(PACK_GATE, f"{pack}/{self.name}", "reject", fault) if fault else _pass_of(pack, self.name)


@lru_cache(maxsize=256)
def not_applicable(pack: str, rule: str, why: str) -> Verdict:
    """Return the verdict of a rule that cannot tell."""
    return Verdict(PACK_GATE, f"{pack}/{rule}", "not_applicable", why)


@dataclass(frozen=True, slots=True)
class Pack:
    """A named set of rules that are switched on together."""

    name: str
    rules: tuple[Rule, ...]
    recomputations: tuple[Recomputation, ...] = ()
    """Those that read the workspace; judged last, and only where somebody can read for them."""


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
