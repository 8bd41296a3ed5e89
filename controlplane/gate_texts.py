"""Gates and rules as users read them, and the cause that a notice names.

A journal names a gate by its number and a rule by its set, such as `7` or `library/dates`. Users
read `gate 7 (self-check)` and `library/dates`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from controlplane.gates.verdicts import GATE_NAMES
from controlplane.terminal_text import one_line


def cause_of(notice: str) -> str:
    """Return a notice without the parts that differ between tries, so that equal failures match.

    It concerns the notices about failed requests, which `agent/retry.py` writes
    for models, and `lifecycle/run_controls.py` for benchmarks. Any other text is
    returned unchanged.

    - `503; asking again in 4 s` becomes `503; it is tried again`;
    - `503; given up at try 5 of 5` becomes `503; given up of 5`.
    """
    for wait in ("; asking again in ", "; trying again in "):
        failure, found_wait, _ = notice.partition(wait)
        if found_wait:
            notice = f"{failure}; it is tried again"

    failure, found_last_try, numbers = notice.partition("; given up at try ")
    if found_last_try:
        without_number_of_try = numbers.lstrip("0123456789")  # ` of 5`
        return f"{failure}; given up{without_number_of_try}"
    return notice


def gate_or_rule_text(key: str) -> str:
    """Return the name of a gate or a rule for the user, by its key.

    - `4`, a gate: `gate 4 (citations were read)`;
    - `6/wording`, a rule within a gate: `gate 6 (wording)`;
    - `ecom/checklist`, a rule in a rule set: `ecom/checklist`.
    """
    number, slash, rule = key.partition("/")
    if not number.isdecimal():
        return one_line(key)
    name = one_line(rule) if slash else GATE_NAMES.get(int(number), "")
    if name:
        return f"gate {number} ({name})"
    return f"gate {number}"


def _gates_first(key: str) -> tuple[bool, str]:
    is_rule = not key.partition("/")[0].isdecimal()
    return is_rule, key


def gates_and_rules_text(notes: Mapping[str, str]) -> str:
    """Join the names of gates and rules, the gates first, each followed by its note.

    For example `gate 4 (citations were read) ×12, ecom/checklist ×1`.
    """
    keys = sorted(notes, key=_gates_first)
    return ", ".join(f"{gate_or_rule_text(key)}{notes[key]}" for key in keys)


def names_of_gates_and_rules(keys: Iterable[str]) -> str:
    """Join the names of gates and rules, the gates first."""
    return gates_and_rules_text(dict.fromkeys(keys, ""))
