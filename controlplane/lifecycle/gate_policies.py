"""The gates, rules and rule sets that the settings `gates` and `rule_sets` choose.

The enforcement of a gate or rule is `block` (an answer that it rejects is not sent), `ask` (the model may
insist on the answer) or `off` (the journal holds the verdict, without effect). See docs/gates.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from controlplane.configuration.named_modules import load_rule_sets
from controlplane.errors import UsageError, as_usage_error, did_you_mean, nearest_name
from controlplane.gates.rule_set_loading import is_product_rule_set
from controlplane.gates.submission import ALL_GATES, ENFORCEMENTS, Enforcement, GatePolicy

if TYPE_CHECKING:
    from controlplane.journal.journal_reader import Journal


def parse_gates(text: str) -> dict[str, Enforcement]:
    """Return the enforcements that a value of `--gates` changes, by the number of a gate or the key of a rule.

    - `"all"` -> `{}`
    - `"1,4"` -> `{"2": "off", "3": "off", "5": "off", ...}`: only these two gates stay on. `"none"` leaves none on.
    - `"6=off,ecom/return=ask"` -> `{"6": "off", "ecom/return": "ask"}`

    Raises `ValueError` that names the first invalid part.
    """
    parts = [part.strip() for part in text.split(",")]
    names = {part for part in parts if "=" not in part}
    overrides: dict[str, Enforcement] = {}
    if names and names != {"all"}:
        for gate in _gates_besides(names, text):
            overrides[gate] = "off"
    overrides.update(_parse_enforcements(part for part in parts if "=" in part))
    return overrides


def _gates_besides(names: set[str], text: str) -> list[str]:
    """Return the numbers of all gates that are not among `names`, which are numbers or `none` alone.

    Raises `ValueError` for other names; `text` is the whole setting.
    """
    numbers = {str(gate) for gate in ALL_GATES}
    unknown = sorted(names - numbers - {"all", "none"})
    if unknown:
        near_name = nearest_name(unknown[0], ["all", "none"], least=0.5)
        hint = f"; did you mean {near_name!r}?" if near_name else ""
        msg = f"{unknown[0]!r} is not a gate: give all, none, or gates from 1 to 8 as 1,4,8{hint}"
        raise ValueError(msg)
    if names != {"none"} and not names <= numbers:
        msg = f"{text!r} is not a gate, nor a list of gates such as 1,4,8: give all or none alone"
        raise ValueError(msg)
    return sorted(numbers - names)


def _parse_enforcements(parts: Iterable[str]) -> dict[str, Enforcement]:
    """Return the enforcement for each part such as `6=off`, by the text before `=`. Raises `ValueError`."""
    enforcements: dict[str, Enforcement] = {}
    for part in parts:
        key, _, value = part.partition("=")
        enforcement = _enforcement_named(value)
        if enforcement is None or not key:
            near_name = nearest_name(value, ENFORCEMENTS, least=0.5)
            hint = f"; did you mean {near_name!r}?" if near_name else ""
            msg = f"{part!r} sets no enforcement: write NAME=block, NAME=ask or NAME=off{hint}"
            raise ValueError(msg)
        enforcements[key] = enforcement
    return enforcements


def _enforcement_named(name: str) -> Enforcement | None:
    for enforcement in ENFORCEMENTS:
        if enforcement == name:
            return enforcement
    return None


def gate_policy(gates: str, rules: str, rule_sets: Iterable[str] = ()) -> GatePolicy:
    """Return the enforcement of gates, rules and rule sets that two settings ask for.

    `gates` is the value of `--gates`, `rules` that of `--rule-sets`, such as `auto,ecom/return=ask`, and
    `rule_sets` are the names of the rule sets in use. Where both settings name a rule, `--rule-sets` decides.

    Raises `UsageError` for a malformed text, and for an unknown gate, rule or rule set.
    """
    rule_sets = tuple(rule_sets)
    # A user's own rule set is loaded even if nothing names a rule of it, so that a wrong address is told now.
    load_rule_sets([name for name in rule_sets if not is_product_rule_set(name)])

    with as_usage_error("--gates", ValueError):
        changed_by_gates = parse_gates(gates)
    _check_keys("--gates", changed_by_gates, rule_sets)

    with as_usage_error("--rule-sets", ValueError):
        changed_by_rules = _parse_enforcements(part for part in _parts(rules) if "=" in part)
    _check_keys("--rule-sets", changed_by_rules, rule_sets)

    return GatePolicy({**changed_by_gates, **changed_by_rules})


def _check_keys(
    option: str, overrides: Mapping[str, Enforcement], rule_sets: Sequence[str]
) -> None:
    """Raise `UsageError` if an override is of an unknown gate or rule."""
    if not overrides:
        return
    from controlplane.gates.rules import rule_keys  # It loads every gate, which is slow.

    known_keys = sorted(rule_keys(load_rule_sets(rule_sets)))
    for key in overrides:
        if key not in known_keys:
            msg = f"{option}: there is no gate or rule {key!r}{did_you_mean(key, known_keys)}"
            raise UsageError(msg)


def rule_set_names(
    rules: str, of_benchmark: Callable[[], Iterable[str]], gates: str = "all"
) -> tuple[str, ...]:
    """Return the names of the rule sets to use, each once.

    `rules` is the value of `--rule-sets`: names of rule sets, where `auto`, as an empty text, stands for those of
    the benchmark, and `none` leaves these out. `of_benchmark` returns the names of the benchmark's rule sets.
    An enforcement of a product's rule set (`ecom=ask`, `ecom/checklist=off`) also puts the set in use. If `gates`,
    the value of `--gates`, is `none`, the benchmark's rule sets are only used beside other named ones.
    """
    parts = _parts(rules)
    names = [part for part in parts if "=" not in part]

    uses_benchmarks = not names or "auto" in names
    if "none" in names:
        uses_benchmarks = False
    if gates == "none" and set(names) <= {"auto"}:
        uses_benchmarks = False

    rule_sets: list[str] = []
    if uses_benchmarks:
        rule_sets.extend(of_benchmark())
    for name in names:
        if name not in ("auto", "none"):
            rule_sets.append(name)
    for part in parts:
        key, equals, _ = part.partition("=")
        name = key.partition("/")[0]
        if equals and is_product_rule_set(name):
            rule_sets.append(name)
    return tuple(dict.fromkeys(rule_sets))


def _parts(rules: str) -> list[str]:
    """Return the parts between commas: `"auto, ecom=ask"` -> `["auto", "ecom=ask"]`."""
    return [part.strip() for part in rules.split(",") if part.strip()]


def rule_sets_here(journal: Journal, *, is_trusted: bool = False) -> tuple[str, ...]:
    """Return the rule sets of a recorded run that may be imported on this machine.

    A rule set is code. From somebody else's journal only the product's own rule sets are imported, unless the
    user trusts the journal.
    """
    rule_sets = journal.opened.rule_sets
    if journal.is_own or is_trusted:
        return rule_sets
    return tuple(name for name in rule_sets if is_product_rule_set(name))
