"""Submissions of a trial, and rules of a user that judge them.

A submission is an answer with the files that it cites. Rules judge it: each returns an *opinion*,
such as an `Objection`, and the gates make a *verdict* of it, such as "reject".

    find_verdicts(worker, submission_with(answer="8"), calls_of_every_kind().evidence, CASE, (OWN,))
"""

from __future__ import annotations

from controlplane.gates.evidence import Evidence
from controlplane.gates.rules import Objection, Opinion, Rule, RuleSet
from controlplane.gates.submission import Case, Probe, Submission
from tests.gates.recorded_calls import CallsOfTrial

# A rule set as a user writes it, and the name by which a run imports it.


def fault_of_uncited_rules(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Object to an answer that does not cite the workspace's rules, the file `/AGENTS.MD`."""
    return Objection(
        demands=(case.rules_path,), missing_message="{paths} is not cited."
    )


OWN_RULE_SET = RuleSet("own", (Rule("rules", fault_of_uncited_rules),))
OWN = "tests.agent.gated_exit.judged_submissions:OWN_RULE_SET"


# The trial: what it was asked, and what it has done

BOOK = "/docs/Loans.md"
CASE = Case(
    instruction="How many loans are open? Answer with the number only, <COUNT:%d>.",
    rules="Cite what you read.",
    rules_path="/AGENTS.MD",
    internal_errors_before=1,
)


def calls_of_every_kind() -> CallsOfTrial:
    """Return the calls of a trial that read, listed, wrote, ran a tool, and failed once."""
    calls = CallsOfTrial()
    calls.read(BOOK, "/docs/Other.md")
    calls.list_folder("/docs", BOOK)
    calls.write("/new.txt", "a new text")
    calls.run("/bin/show", BOOK, stdout="shown")
    calls.fail("read", "/gone", "internal")
    return calls


# What it submits


def fail_to_verify(blanked: bool) -> tuple[bool, str]:
    """Stand for `verify`, a function by which a script checks its own answer.

    It stays in the process of the script. Only gate 7 calls it, and that gate judges there.
    """
    raise AssertionError("only gate 7 may call verify")


VERIFY = Probe(is_callable=True, takes_one_argument=True, ask=fail_to_verify)


def submission_with(verify: Probe = VERIFY, **changed: object) -> Submission:
    """Return a submission of a script that answers 7, with some keys of its scratchpad changed.

    `submission_with(outcome="OUTCOME_ERR_INTERNAL")` gives up instead.
    """
    scratchpad: dict[str, object] = {
        "answer": "7",
        "outcome": "OUTCOME_OK",
        "refs_why": {BOOK: "the book of loans"},
    }
    scratchpad.update(changed)
    return Submission.from_scratchpad(scratchpad, verify)
