"""Rules: what a rule may say about a submission, and rule sets for one kind of benchmark."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Final, TypeAlias

from gates.evidence import Evidence
from gates.submission import (
    MAX_REASON_CHARS,
    RULE_FAILED,
    RULE_SET_GATE,
    Case,
    Enforcement,
    Submission,
    Verdict,
    joined_faults,
    quote_some,
)

REGISTERED: Final = {
    "ecom": "benchmarks.shop.rule_set:RULE_SET",
    "posed": "benchmarks.shop.rule_set:POSED",
}


@dataclass(frozen=True, slots=True)
class Objection:
    """A rule's opinion on citations. No rule may forbid what another one demands, so both are collected first."""

    demands: tuple[str, ...] = ()
    """Paths that the answer has to cite, including those that it does cite."""
    lacking: str = ""
    """The fault of an answer that lacks some of them; `{paths}` is replaced by those."""
    forbids: tuple[str, ...] = ()
    """Cited paths that the answer should not cite."""
    surplus: str = ""
    """The fault of an answer that cites some of them; `{paths}` is replaced by those."""


@dataclass(frozen=True, slots=True)
class Inapplicable:
    """The reason why a rule cannot judge."""

    why: str


Opinion: TypeAlias = "str | Sequence[str] | Objection | Inapplicable | None"
"""A rule's opinion: the texts of its faults, an opinion on citations, the reason why it cannot judge, or None."""
RuleFunction: TypeAlias = Callable[[Submission, Evidence, Case], Opinion]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a gate or of a rule set."""

    name: str
    fault_of: RuleFunction
    """Returns the rule's opinion. The text of an asking rule says what to check, never the answer or the outcome."""
    enforcement: Enforcement = "ask"
    gate: int = RULE_SET_GATE

    def opinion(self, submission: Submission, evidence: Evidence, case: Case) -> Opinion:
        """Return the rule's opinion. After an exception, its own fault, the rule does not apply, and says where."""
        try:
            opinion = self.fault_of(submission, evidence, case)
            return opinion if opinion is None or isinstance(opinion, (str, Objection, Inapplicable)) else list(opinion)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - anybody may have written a rule, for data of any form
            # Its own last line; its first one if it could not be called, or returned no opinion.
            code = getattr(self.fault_of, "__code__", type(self).opinion.__code__)
            file, line = code.co_filename, code.co_firstlineno
            for frame in traceback.extract_tb(error.__traceback__):
                line = (frame.filename == file and frame.lineno) or line
            said = f"{type(error).__name__}: {error}"[:500]
            return Inapplicable(f"{RULE_FAILED}{said} ({file}, line {line})")

    def verdict(self, opinion: Opinion, cited: frozenset[str], demanded: frozenset[str], rule_set: str = "") -> Verdict:
        """Return the verdict that an opinion leads to, given the cited paths and what all rules demand."""
        name = f"{rule_set}/{self.name}" if rule_set else self.name
        if isinstance(opinion, Inapplicable):
            return Verdict(self.gate, name, "not_applicable", opinion.why[:MAX_REASON_CHARS], self.enforcement)
        fault = joined_faults(_faults_of(opinion, cited, demanded))
        return Verdict(self.gate, name, "reject" if fault else "pass", fault, self.enforcement)


def _faults_of(opinion: Opinion, cited: frozenset[str], demanded: frozenset[str]) -> list[str]:
    if isinstance(opinion, Objection):
        missing = [path for path in dict.fromkeys(opinion.demands) if path not in cited]
        surplus = [path for path in dict.fromkeys(opinion.forbids) if path in cited and path not in demanded]
        faults = [opinion.lacking.replace("{paths}", quote_some(missing))] if missing else []
        return faults + ([opinion.surplus.replace("{paths}", quote_some(surplus))] if surplus else [])
    if opinion is None or isinstance(opinion, (str, Inapplicable)):
        return [opinion] if isinstance(opinion, str) and opinion else []
    return [fault for fault in opinion if isinstance(fault, str) and fault]


@dataclass(frozen=True, slots=True)
class RuleSet:
    """A named set of rules that are switched on together."""

    name: str
    rules: tuple[Rule, ...]


class RuleSetError(ValueError):
    """There is no rule set under the given name."""


def load_rule_set(name: str) -> RuleSet:
    """Return a registered rule set by its name, or the rule set at `importable.module:ATTRIBUTE`. Raises
    `RuleSetError`."""
    module, _, attribute = REGISTERED.get(name, name).partition(":")
    names = ", ".join(REGISTERED)
    if not attribute:
        msg = f"no rule set is called {name!r}: use one of {names}, or importable.module:ATTRIBUTE"
        raise RuleSetError(msg)
    try:
        rule_set = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as fault:
        msg = f"the rule set {name!r} cannot be loaded: {fault}"
        raise RuleSetError(msg) from fault
    if not isinstance(rule_set, RuleSet):
        msg = f"{name!r} is a {type(rule_set).__name__}, not a gates.rules.RuleSet"
        raise RuleSetError(msg)
    return rule_set


Pack = RuleSet
"""Its name in earlier versions, which rule sets of users import."""
