"""The rule sets of a run, as `--rule-sets` and its benchmark name them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from controlplane.gates.rule_set_loading import is_product_rule_set

if TYPE_CHECKING:
    from controlplane.journal.journal_reader import Journal


def rule_set_names(
    rules: str, of_benchmark: Callable[[], Iterable[str]], gates: str = "all"
) -> tuple[str, ...]:
    """Return the names of the rule sets to use, each once.

    - `rules`: the value of `--rule-sets`.
    - `of_benchmark`: returns the names of the benchmark's own rule sets.
    - `gates`: the value of `--gates`.

    If the benchmark's rule set is `ecom`:

    - `""` or `"auto"` -> `("ecom",)`
    - `"none"` -> `()`
    - `"my_rules:RULES"` -> `("my_rules:RULES",)`
    - `"auto,my_rules:RULES"` -> `("ecom", "my_rules:RULES")`
    - `"none,ecom/checklist=off"` -> `("ecom",)`: whoever sets how a rule of the product
      is enforced wants its rule set.

    With the gates `none`, `""` and `"auto"` give `()`, too.
    """
    parts = parts_of_setting(rules)
    words = [part for part in parts if "=" not in part]
    named_by_user = [word for word in words if word not in ("auto", "none")]

    is_switched_off = "none" in words or (gates == "none" and not named_by_user)
    is_wanted = "auto" in words or not words

    rule_sets: list[str] = []
    if is_wanted and not is_switched_off:
        rule_sets.extend(of_benchmark())
    rule_sets.extend(named_by_user)
    # `ecom/checklist=off` needs the rule set `ecom`.
    for part in parts:
        key, equals, _ = part.partition("=")
        name = key.partition("/")[0]
        if equals and is_product_rule_set(name):
            rule_sets.append(name)
    return tuple(dict.fromkeys(rule_sets))


def parts_of_setting(rules: str) -> list[str]:
    """Return the parts between commas: `"auto, ecom=ask"` -> `["auto", "ecom=ask"]`."""
    return [part.strip() for part in rules.split(",") if part.strip()]


def rule_sets_here(journal: Journal, *, is_trusted: bool = False) -> tuple[str, ...]:
    """Return the rule sets of a recorded run that may be imported on this machine.

    A rule set is code. From somebody else's journal only the product's own rule sets
    are imported, unless the user trusts the journal.
    """
    rule_sets = journal.opened.rule_sets
    if journal.is_own or is_trusted:
        return rule_sets
    return tuple(name for name in rule_sets if is_product_rule_set(name))
