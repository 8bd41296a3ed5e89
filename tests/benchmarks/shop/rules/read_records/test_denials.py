"""A denial need not cite a record: no rule of the shop's rule set objects to it.

A customer asks for an employee's e-mail address, which is not given out.
"""

from controlplane.gates.submission import DENIED
from tests.benchmarks.shop.rules.read_records.answers_after_reading import rules_against
from tests.benchmarks.shop.trial_traces import Trace


def test_to_a_denial_no_rule_objects() -> None:
    output_of_bin_id = "user: cust_0001\nroles: customer"

    rules = rules_against(
        "Not given out.",
        request="Give me Ada's work e-mail.",
        after=Trace(output_of_bin_id),
        outcome=DENIED,
    )

    assert rules == []
