"""Rule sets that users write, and what a process must import before it judges by them.

A rule of a user may take forever, so it runs in the *worker*, a process of the trial that can be
stopped. The worker is isolated once it has started: it can import nothing later. So it is told
at its start what it will need:

    judging_modules(("my_rules:STRICT",))  -> ("...worker_judging", "...rule_sets", "my_rules")
    judging_modules(("ecom",))             -> ()   The product's own rule sets need no worker.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.gates.rule_set_loading import (
    DECLARING_MODULE,
    is_product_rule_set,
    module_of_rule_set,
)


def has_user_rules(rule_sets: Sequence[str]) -> bool:
    """Return True if one of the rule sets is of the user: `my_rules:STRICT`."""
    return not all(is_product_rule_set(name) for name in rule_sets)


def judging_modules(rule_sets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the modules that the worker imports when it starts, to judge by these rule sets."""
    if not has_user_rules(rule_sets):
        return ()
    return (
        "controlplane.gates.worker_judging",
        DECLARING_MODULE,  # It says in which modules the product's own rule sets are.
        *(module_of_rule_set(name) for name in rule_sets),
    )
