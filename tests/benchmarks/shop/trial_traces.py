"""Traces of trials in the invented shop: what a script has read and changed, as evidence.

    trace = Trace("user: cust_0001").read("/proc/carts/basket_0001.json", {"status": "active"})
    trace.run("/bin/checkout", "basket_0001").evidence

Rules judge an answer by the request, the answer and the evidence. No call is made.
"""

from __future__ import annotations

import json

from controlplane.agent.evidence.evidence_log import EvidenceLog
from controlplane.benchmarks.shop.rule_set import RULE_SET
from controlplane.gates.evidence import Evidence
from controlplane.gates.judging import judge
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import RULE_FAILED, RULE_SET_GATE
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    Executable,
    ExecutableKind,
    ToolSchema,
)
from tests.benchmarks.shop.invented_shop import RULES
from tests.support.ended_calls import add_call

# Which rules of the shop's rule set object to an answer that a script is about to submit.
#
# objecting_rules(Submission(answer="ja", outcome=OK, refs=()), "Do you have 3 of the lamp?", Evidence())
# # ["checklist"]: no record is cited


def objecting_rules(
    submission: Submission, request: str, evidence: Evidence
) -> list[str]:
    """Return the names of the rules of the rule set that object to an answer: `["checklist"]`.

    Checks that do not belong to the rule set apply to any benchmark, and are left out here. No rule
    may fail with an exception.
    """
    case = Case(request, rules="", rules_path=RULES)
    judgement = judge(submission, evidence, case, rule_sets=(RULE_SET,))
    names = []
    for verdict in judgement.verdicts:
        if verdict.gate != RULE_SET_GATE:
            continue
        assert not verdict.reason.startswith(RULE_FAILED), verdict
        if verdict.result == "reject":
            names.append(verdict.name.removeprefix("ecom/"))
    return names


TOOLS = {
    "/bin/id": ExecutableKind.READS,
    "/bin/sql": ExecutableKind.READS,
    "/bin/checkout": ExecutableKind.CHANGES,
    "/bin/refund": ExecutableKind.CHANGES,
}
"""The tools of the shop; those of the kind `CHANGES` change its records."""


class Trace:
    """The calls of a trial in the shop, written down as evidence."""

    def __init__(self, identity: str = "") -> None:
        """`identity` is what the tool `/bin/id` printed; empty if it was not run."""
        tools = tuple(Executable(path, kind) for path, kind in TOOLS.items())
        self.evidence_log = EvidenceLog(
            ToolSchema(FILE_OPERATIONS, tools, rules_document=RULES)
        )
        if identity:
            self.run("/bin/id", printed=identity)

    def read(self, path: str, content: object) -> Trace:
        """Record that a file was read. `content` is its text, or the data of its JSON."""
        text = content if isinstance(content, str) else json.dumps(content)
        result = {"path": path, "content": text, "truncated": False}
        add_call(self.evidence_log, "read", {"path": path}, result, None)
        return self

    def write(self, path: str, content: str) -> Trace:
        """Record that a file was written."""
        arguments = {"path": path, "content": content}
        add_call(self.evidence_log, "write", arguments, {"path": path}, None)
        return self

    def run(self, path: str, *arguments: str, printed: str = "") -> Trace:
        """Record that a tool was run with success, and what it printed."""
        result = {"stdout": printed, "stderr": "", "exit_code": 0}
        add_call(
            self.evidence_log,
            "exec",
            {"path": path, "args": list(arguments)},
            result,
            None,
        )
        return self

    def delete(self, path: str) -> Trace:
        """Record that a file was deleted."""
        add_call(self.evidence_log, "delete", {"path": path}, {}, None)
        return self

    @property
    def evidence(self) -> Evidence:
        """The evidence of the calls so far, by which rules judge an answer."""
        return self.evidence_log.view()
