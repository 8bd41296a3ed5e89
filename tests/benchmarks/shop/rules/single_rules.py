r"""What one rule of the shop's rule set says against an answer, after the calls of a trial.

trace = Trace("user: cust_0001\nroles: customer").read("/docs/a.md", "text")
objection(unmade_step, trace, "It is done.", cited=("/docs/a.md",))    # "", if it has none
"""

from controlplane.gates.opinions import Inapplicable
from controlplane.gates.rules import Rule
from controlplane.gates.submission import OK, Case, Submission
from tests.benchmarks.shop.trial_traces import Trace
from tests.gates.scripted_verify import ScriptedVerify

ANY_CASE = Case(
    "Do it.",
    rules="Answer a question of yes or no with `ja` or `nein`.",
    rules_path="/AGENTS.MD",
)
"""A request, and the shop's rules for agents, for tests of rules that look at neither."""


def objection(
    rule: Rule,
    trace: Trace,
    answer: str,
    *,
    cited: tuple[str, ...] = (),
    outcome: str = OK,
    case: Case = ANY_CASE,
) -> str:
    """Return the text with which a rule objects to an answer; empty if it does not object."""
    reason_by_cited_path = dict.fromkeys(cited, "what was read there")
    scratchpad = {
        "answer": answer,
        "outcome": outcome,
        "refs_why": reason_by_cited_path,
    }
    # A script also hands over a function that checks the answer. Rules do not look at it.
    check_of_script = ScriptedVerify().probe
    submission = Submission.from_scratchpad(scratchpad, check_of_script)

    opinion = rule.fault_of(submission, trace.evidence, case)
    cannot_judge = isinstance(opinion, Inapplicable)
    if opinion is None or cannot_judge:
        return ""
    return str(opinion)
