"""Rules, which each judge one thing about a submission, and sets of rules.

    RuleSet("desk", (Rule("late-reply", late_reply, "ask"), Rule("no-promise", no_promise, "block")))

A rule is a function that returns a fault or nothing; `Rule` shows one. Users switch on a rule set
for their kind of benchmark. The gates' own rules are in `gates/judging.py`.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Inapplicable, Objection, Opinion, faults_of
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import (
    RULE_FAILED,
    RULE_SET_GATE,
    Enforcement,
    Result,
    Verdict,
    joined_faults,
)
from controlplane.sandbox.interface import bounds

_SHOWN_ERROR_CHARS: Final = 500
"""Characters that are kept of the message of an exception which a rule raised."""
RuleFunction: TypeAlias = Callable[[Submission, Evidence, Case], Opinion]
"""Judges what was submitted, by what the trial did, for what was asked: see `Rule`."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a gate or of a rule set. It judges one thing about a submission.

        def late_reply(submission, evidence, case):
            return "" if "by" in submission.answer_text else "Say by when the reply comes."

        Rule("late-reply", late_reply, "ask")

    What the function returns is the rule's *opinion*, and a text in it is a *fault*. The *verdict*
    follows from the opinion: "pass", "reject" or "not_applicable".
    """

    name: str
    """Such as `wording`, or `late-reply` for a rule of a rule set."""
    fault_of: RuleFunction
    """Judges a submission. What it may return (`Opinion`):

    - "" or None: no fault;
    - a text: the fault. That of a rule that asks says what to check, without revealing the answer;
    - an `Objection`: a fault that depends on what other rules demand to be cited;
    - an `Inapplicable`: the rule has nothing to judge here;
    - several faults, as a list or a generator of texts.
    """
    enforcement: Enforcement = "ask"
    """Whether a fault rejects the answer.

    - `block`: until it is corrected.
    - `ask`: in the first `MOST_ASKING_TURNS` turns in which the rule objects. If the model submits
      the fault once more, the answer passes.
    """
    gate: int = RULE_SET_GATE
    """The gate that it belongs to; 0 for a rule of a rule set."""

    def opinion(
        self, submission: Submission, evidence: Evidence, case: Case
    ) -> Opinion:
        """Call `fault_of`, and return its opinion; `Inapplicable` if the function fails.

        A rule may be a user's own code, and a submission may hold data of any form. If the rule
        raises an exception, the opinion is `Inapplicable` and names the line that failed.
        """
        try:
            result = self.fault_of(submission, evidence, case)
            if result is None or isinstance(result, str | Objection | Inapplicable):
                return result
            # It is several faults. A rule may be a generator, whose code runs only when its
            # faults are collected.
            return list(result)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a rule is others' code
            message = f"{type(error).__name__}: {error}"[:_SHOWN_ERROR_CHARS]
            return Inapplicable(
                f"{RULE_FAILED}{message} ({_failed_line(self.fault_of, error)})"
            )

    def verdict(
        self,
        opinion: Opinion,
        cited: frozenset[str],
        demanded: frozenset[str],
        rule_set: str = "",
    ) -> Verdict:
        """Return the verdict that follows from an opinion of this rule.

        `cited` are the paths that the submission cites, and `demanded` those that any rule
        demands. They decide if an `Objection` is a fault: a demanded path must be cited, and a
        forbidden one must not, unless another rule demands it.
        """
        name = f"{rule_set}/{self.name}" if rule_set else self.name
        if isinstance(opinion, Inapplicable):
            why = opinion.why[: bounds.SHOWN_MESSAGE_CHARS]
            return Verdict(self.gate, name, "not_applicable", why, self.enforcement)
        fault = joined_faults(faults_of(opinion, cited, demanded))
        result: Result = "reject" if fault else "pass"
        return Verdict(self.gate, name, result, fault, self.enforcement)


@dataclass(frozen=True, slots=True)
class RuleSet:
    """A named set of rules for one kind of benchmark, which are switched on together."""

    name: str
    """The name by which a run switches it on: `desk`."""
    rules: tuple[Rule, ...]


def _failed_line(function: RuleFunction, error: BaseException) -> str:
    """Return the last line of a rule that ran before an exception: `loans.py, line 12`.

    If no line of the rule ran, this is its first line. A rule that is not a Python
    function, such as a callable object, has no line.
    """
    # `functools.wraps` says which function a decorated one runs.
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None:
        return f"rule {type(function).__name__}"
    line = code.co_firstlineno
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == code.co_filename and frame.lineno:
            line = frame.lineno
    return f"{code.co_filename}, line {line}"
