"""The tables of the documentation that explain the rules of gates and shops, and the rules in code.

A rule objects to an answer. Its enforcement says what then happens: "ask" (the model is asked to
think again) or "block" (the answer is not accepted). A row of a table is, for example,
"| `6/wording` | ask | a message with needless words |".
"""

import re
from dataclasses import dataclass

from controlplane.benchmarks.shop.rule_set import RULE_SET
from controlplane.gates.judging.gate_rules import RULES, VERIFY_RULE
from controlplane.gates.verdicts import ENFORCEMENTS, key_of
from tests.documentation.pages import GATES_PAGE, read_page

PAGES_OF_RULES = GATES_PAGE + "\n" + read_page("toolkit.md")
"""The pages that have tables of rules, as one text."""


@dataclass(frozen=True)
class RuleRow:
    """A row of a table that documents a rule."""

    key: str
    """The rule's number or name, such as `6`, `6/wording` or `ecom/basket-owner`."""
    enforcement: str
    """"ask" or "block"; empty in tables without this column."""
    objection: str
    """What the rule objects to, and perhaps why; empty if the row does not say it."""


ROW_OF_RULE = re.compile(
    r"^\| `([1-8](?:/[\w-]+)?|\w+/[\w-]+)` \|([^|\n]*)\|?([^\n]*)$", re.MULTILINE
)
"""Finds the rows whose first cell is a rule's key in backquotes: the key, the second cell, and the
text of all further cells."""


def documented_rules() -> list[RuleRow]:
    """Return the rows of all tables of rules. There are tables with and without enforcements:

    - "| `6/wording` | ask | a message with needless words |"
    - "| `ecom/basket-owner` | the checkout of another customer's basket |"
    """
    rows: list[RuleRow] = []
    for match in ROW_OF_RULE.finditer(PAGES_OF_RULES):
        key = match[1]
        second_cell = match[2].strip()
        further_cells = match[3].strip(" |")
        if second_cell in ENFORCEMENTS:
            rows.append(RuleRow(key, second_cell, further_cells))
        else:
            rows.append(RuleRow(key, "", second_cell))
    return rows


def enforcement_of_general_rules() -> dict[str, str]:
    """Return the enforcement of the gates' own rules by key: `{"6/wording": "ask", ...}`."""
    enforcements: dict[str, str] = {}
    for rule in (*RULES, VERIFY_RULE):
        enforcements[key_of(rule.gate, rule.name)] = rule.enforcement
    return enforcements


def enforcement_of_shop_rules() -> dict[str, str]:
    """Return the enforcement of the rules for shops by key: `{"ecom/basket-owner": "ask", ...}`."""
    enforcements: dict[str, str] = {}
    for rule in RULE_SET.rules:
        enforcements[f"{RULE_SET.name}/{rule.name}"] = rule.enforcement
    return enforcements
