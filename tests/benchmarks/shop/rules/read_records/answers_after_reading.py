"""Which rules of the shop's rule set object to an answer after what a trial has read.

trace = Trace().read("/proc/carts/basket_0001.json", "{}")
rules_against("active", request="What is the status of basket_0001?", after=trace)
# ["named-record"]: the basket is not cited
"""

from controlplane.gates.submission import OK, Submission
from tests.benchmarks.shop.rules.objecting_rules import objecting_rules
from tests.benchmarks.shop.trial_traces import Trace


def rules_against(
    answer: str,
    *,
    request: str,
    after: Trace,
    cited: tuple[str, ...] = (),
    outcome: str = OK,
) -> list[str]:
    """Return the names of the rules that object; empty if none does."""
    submission = Submission(answer=answer, outcome=outcome, refs=cited)
    return objecting_rules(submission, request, after.evidence)
