"""Lists the untrusted values of a call, each with the values beside which the call uses it.

A value is *untrusted* if only running text has it, such as a mail, or no text at all. For
`send_money(to="DE12", amount=30)`, both values of which are only in a mail:

    DE12 as `to`        beside ("amount", "30")
    30 as `amount`      beside ("to", "de12")

If the user accepts this call, DE12 may get 30 again, but not 9,000.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from controlplane.agent.evidence.checks.value_use import ValueBeside, ValueUse
from controlplane.agent.evidence.origins.argument_origin import ArgumentOrigin
from controlplane.agent.evidence.origins.finding import Finding
from controlplane.agent.evidence.origins.values.argument_value import ValueRole
from controlplane.agent.evidence.texts.words import has_digit


def untrusted_uses(
    operation: str, origins: Mapping[str, ArgumentOrigin]
) -> Iterator[tuple[Finding, ValueUse]]:
    """Yield each untrusted value of a call, and its use in this call.

    `origins` says by argument where its values come from. The finding has the value and its
    origin, to tell the model or the user about it.
    """
    amounts = _untrusted_amounts(origins)
    for parameter, argument in origins.items():
        amounts_beside = frozenset(
            (name, key) for name, key in amounts if name != parameter
        )
        for finding in argument.untrusted_findings:
            use = ValueUse(
                operation=operation,
                parameter=parameter,
                key=finding.value.main_key,
                values_beside=amounts_beside,
                is_copied_text=finding.is_copied_text,
            )
            yield finding, use


def _untrusted_amounts(origins: Mapping[str, ArgumentOrigin]) -> list[ValueBeside]:
    """Return the untrusted amounts, dates and ids of a call, by argument: `("amount", "30")`.

    They decide what the call does with its other values. They have digits, as names seldom do. A
    number within a long text is left out: it is often there by chance.
    """
    amounts: list[ValueBeside] = []
    for name, argument in origins.items():
        for finding in argument.untrusted_findings:
            value = finding.value
            if value.role is ValueRole.WHOLE and has_digit(value.main_key):
                amounts.append((name, value.main_key))
    return amounts
