"""Keeps the values that the functions of the benchmark returned in a trial.

An answer may state a number that no file has, if a function has returned it. So the gates look
for it here:

    add("total_fee", {"loan": "L-4"}, {"value": 21})
    values  -> [FunctionResultValue("total_fee", "21", '{"loan": "L-4"}')]
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from controlplane.gates.trial.script_runs import FunctionResultValue
from controlplane.sandbox.interface import Plain, bounds

RESULT_OVERHEAD_CHARS: Final = 100
"""An estimate of the memory that a result takes besides its texts, in characters."""


class FunctionResults:
    """The values that functions of the benchmark returned, as long as there is room.

    A function may be called any number of times. Later values are left out.
    """

    def __init__(self) -> None:
        self.values: list[FunctionResultValue] = []
        self._room_chars = bounds.MOST_KEPT_CHARS

    def add(
        self, function: str, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
    ) -> None:
        """Add the field `value` of a function's result."""
        if self._room_chars <= 0:
            return
        value = json.dumps(result.get("value"), ensure_ascii=False)
        value = value[: bounds.MOST_COMPARED_CHARS]
        arguments_json = json.dumps(arguments, ensure_ascii=False)
        if len(arguments_json) > bounds.MOST_COMPARED_CHARS:
            arguments_json = "{}"
        self.values.append(FunctionResultValue(function, value, arguments_json))
        self._room_chars -= len(value) + len(arguments_json) + RESULT_OVERHEAD_CHARS
