"""The one value that a short text states."""

from __future__ import annotations

from controlplane.gates.values.spans import WrittenValue
from controlplane.gates.values.written_values import written_values


def only_value(text: str) -> WrittenValue:
    """Return the one value of a text.

    `only_value("1.250,50 €")` -> `WrittenValue(kind=Kind.NUMBER, canonical="1250.5", unit="EUR", …)`
    """
    values = written_values(text)
    assert len(values) == 1, values
    return values[0]
