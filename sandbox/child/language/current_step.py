"""The step that runs in a process of scripts, and what is restored after it.

The modules and builtins of scripts exist once for all steps of a process. Some of their
functions, such as `traceback.format_exc`, act for the current step, which they find in
`STEP`.
"""

from __future__ import annotations

import calendar
import csv
import decimal
import gc
import sys
import typing
from collections.abc import Callable
from typing import Any, Final


class CurrentStep:
    """The step that runs in this process. Its attributes are set when a step begins.

    Between steps it has no attributes: code of a script that still runs then gets an error.
    """

    describe: Callable[[BaseException], str]
    """Returns the traceback of an exception, with only the lines of the script."""
    call: Callable[[str, list[Any], dict[str, Any]], Any]
    """Makes a call: takes an operation, its positional and its named arguments."""
    answer: Callable[[Any, Any], None]
    """Submits the answer: takes the scratchpad and `verify`."""


STEP: Final = CurrentStep()

_DIALECTS: Final[dict[str, Any]] = {
    name: csv.get_dialect(name) for name in csv.list_dialects()
}
_MAX_CSV_FIELD: Final = csv.field_size_limit()
_RECURSION_LIMIT: Final = 1_000  # Python's own
DEFAULT_DIGITS: Final = sys.int_info.default_max_str_digits


def forget_step() -> None:
    """Release the objects of a step, and restore what it may have changed in the library."""
    # 1. Release the objects, so that their finalizers run now, within the time of the step.
    vars(STEP).clear()
    sys.stdout = None
    sys.stderr = None
    sys.modules.pop("__main__", None)
    gc.collect()

    # 2. Restore settings that the library lets a script change for the whole process.
    sys.setrecursionlimit(_RECURSION_LIMIT)
    sys.set_int_max_str_digits(DEFAULT_DIGITS)
    decimal.setcontext(decimal.Context())
    calendar.setfirstweekday(calendar.MONDAY)
    csv.field_size_limit(_MAX_CSV_FIELD)
    _restore_dialects()
    typing.clear_overloads()  # They are functions of the script.


def _restore_dialects() -> None:
    """Remove the dialects of CSV that a step registered."""
    current = {name: csv.get_dialect(name) for name in csv.list_dialects()}
    if current == _DIALECTS:
        return
    for name in current:
        csv.unregister_dialect(name)
    for name, dialect in _DIALECTS.items():
        csv.register_dialect(name, dialect)
