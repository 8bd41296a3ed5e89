"""The gates, rules and rule sets that the settings `gates` and `rule_sets` choose.

Each gate or rule has an enforcement, which says what happens to an answer that it
rejects. With `block` the answer is not sent, with `ask` the model may insist on it, and
with `off` the verdict is only recorded. See docs/gates.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from controlplane.configuration.named_modules import load_rule_sets
from controlplane.errors import UsageError, as_usage_error, did_you_mean, nearest_name
from controlplane.gates.rule_set_loading import is_product_rule_set
from controlplane.gates.verdicts import ALL_GATES, ENFORCEMENTS, Enforcement, GatePolicy

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
    parts = _parts_of_setting(rules)
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


def _parts_of_setting(rules: str) -> list[str]:
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


# The values of the two settings.


def parse_gates(text: str) -> dict[str, Enforcement]:
    """Return the enforcements that a value of `--gates` changes.

    The keys are numbers of gates, and keys of rules:

    - `"all"` -> `{}`
    - `"1,4"` -> `{"2": "off", "3": "off", "5": "off", ...}`: only two gates stay on.
    - `"none"` -> `{"1": "off", "2": "off", ...}`
    - `"6=off,ecom/return=ask"` -> `{"6": "off", "ecom/return": "ask"}`

    Raises `ValueError` that names the first invalid part.
    """
    parts = [part.strip() for part in text.split(",")]
    names = {part for part in parts if "=" not in part}
    overrides: dict[str, Enforcement] = {}
    if names:
        gates_on = _gates_named(names)
        for gate in sorted(_GATE_NUMBERS - gates_on):
            overrides[gate] = "off"
    overrides.update(_parse_enforcements(part for part in parts if "=" in part))
    return overrides


_GATE_NUMBERS: Final = frozenset(str(gate) for gate in ALL_GATES)
"""`"1"` to `"8"`."""


def _gates_named(names: set[str]) -> frozenset[str]:
    """Return the gates that are named: `{"1", "4"}`, or `{"all"}` or `{"none"}`.

    Raises `ValueError` for other names, and for one of these two words beside others.
    """
    if names == {"all"}:
        return _GATE_NUMBERS
    if names == {"none"}:
        return frozenset()

    unknown = sorted(names - _GATE_NUMBERS)
    if unknown:
        near_name = nearest_name(unknown[0], ["all", "none"], least=0.5)
        is_other = near_name and near_name not in names
        hint = f"; did you mean {near_name!r}?" if is_other else ""
        msg = (
            f"{unknown[0]!r} is not a gate: give all or none alone, or gates from 1 to 8 "
            f"as 1,4,8{hint}"
        )
        raise ValueError(msg)
    return frozenset(names)


def _parse_enforcements(parts: Iterable[str]) -> dict[str, Enforcement]:
    """Return the enforcements that parts of a setting name, by gate or rule.

    `["6=off", "ecom/return=ask"]` -> `{"6": "off", "ecom/return": "ask"}`. Raises `ValueError` for
    another word than `block`, `ask` and `off`. If the gate or rule exists is not checked here.
    """
    # For the type checker: a text that is a key here is known to be an `Enforcement`.
    enforcements_by_name: dict[str, Enforcement] = {name: name for name in ENFORCEMENTS}
    enforcements: dict[str, Enforcement] = {}
    for part in parts:
        key, _, value = part.partition("=")
        if value not in enforcements_by_name or not key:
            near_name = nearest_name(value, ENFORCEMENTS, least=0.5)
            hint = f"; did you mean {near_name!r}?" if near_name else ""
            forms = ", ".join(f"NAME={name}" for name in ENFORCEMENTS)
            msg = f"{part!r} sets no enforcement: write one of {forms}{hint}"
            raise ValueError(msg)
        enforcements[key] = enforcements_by_name[value]
    return enforcements


def gate_policy(gates: str, rules: str, rule_sets: Iterable[str] = ()) -> GatePolicy:
    """Return the enforcement of gates, rules and rule sets that two settings ask for.

    - `gates`: the value of `--gates`, such as `6=off,ecom/return=off`.
    - `rules`: the value of `--rule-sets`, such as `auto,ecom/return=ask`. If both settings name
      a rule, as here `ecom/return`, this one decides.
    - `rule_sets`: the names of the rule sets in use.

    Raises `UsageError` for a malformed text, and for an unknown gate, rule or rule set.
    """
    rule_sets = tuple(rule_sets)
    # A user's own rule set is named by its module, such as `my_rules:RULES`. Load it
    # now in any case, so that a wrong name is reported before the run.
    load_rule_sets([name for name in rule_sets if not is_product_rule_set(name)])

    with as_usage_error("--gates", ValueError):
        changed_by_gates = parse_gates(gates)
    _check_keys("--gates", changed_by_gates, rule_sets)

    with as_usage_error("--rule-sets", ValueError):
        changed_by_rules = _parse_enforcements(
            part for part in _parts_of_setting(rules) if "=" in part
        )
    _check_keys("--rule-sets", changed_by_rules, rule_sets)

    return GatePolicy({**changed_by_gates, **changed_by_rules})


def _check_keys(
    option: str, overrides: Mapping[str, Enforcement], rule_sets: Sequence[str]
) -> None:
    """Raise `UsageError` if a setting changes the enforcement of an unknown gate or rule.

    `option` is the setting, such as `--gates`, and `overrides` are the changes: `{"6": "off"}`. The
    rules that exist are those of the product and of `rule_sets`.
    """
    if not overrides:
        return
    # Imported only here: the module loads every gate, which is slow.
    from controlplane.gates.judging import rule_keys

    known_keys = sorted(rule_keys(load_rule_sets(rule_sets)))
    for key in overrides:
        if key not in known_keys:
            msg = f"{option}: there is no gate or rule {key!r}{did_you_mean(key, known_keys)}"
            raise UsageError(msg)
