"""Finds and imports a rule set by its name.

Benchmarks declare the names of the product's own rule sets in the table of `DECLARING_MODULE`. That
module is imported by its name, because gates do not depend on benchmarks.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Final, TypeAlias

from controlplane.gates.rules import RuleSet

RuleSetName: TypeAlias = str
"""A name of the product's, `desk`, or the address of a user's own: `my_rules:STRICT`."""
DECLARING_MODULE: Final = "controlplane.benchmarks.rule_sets"
"""The module whose `RULE_SETS` maps each name to an address: `{"desk": "desk.rules:DESK"}`."""


class RuleSetError(ValueError):
    """There is no rule set with the given name."""


def product_rule_sets() -> Mapping[RuleSetName, str]:
    """Return the addresses of the product's own rule sets by name."""
    declared: Mapping[RuleSetName, str] = import_module(DECLARING_MODULE).RULE_SETS
    return declared


def is_product_rule_set(name: RuleSetName) -> bool:
    """Return True if a name is that of a rule set of the product, and not a user's code."""
    return name in product_rule_sets()


def module_of_rule_set(name: RuleSetName) -> str:
    """Return the module that defines a rule set: `my_rules:STRICT` -> `my_rules`."""
    return _address_of(name).partition(":")[0]


def load_rule_set(name: RuleSetName) -> RuleSet:
    """Return the rule set with a name.

    Raises `RuleSetError` if there is none. An exception of the imported code is not caught, unless
    it is an `ImportError` or `AttributeError`.
    """
    module, _, attribute = _address_of(name).partition(":")
    if not attribute:  # neither a known name nor an address
        names = ", ".join(product_rule_sets())
        msg = f"no rule set is called {name!r}: use one of {names}, or importable.module:ATTRIBUTE"
        raise RuleSetError(msg)
    try:
        rule_set = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as fault:
        msg = f"the rule set {name!r} cannot be loaded: {fault}"
        raise RuleSetError(msg) from fault
    if not isinstance(rule_set, RuleSet):
        msg = f"{name!r} is a {type(rule_set).__name__}, not a controlplane.gates.rules.RuleSet"
        raise RuleSetError(msg)
    return rule_set


def _address_of(name: RuleSetName) -> str:
    """Return the address of a named rule set; an address is returned as it is."""
    return product_rule_sets().get(name, name)
