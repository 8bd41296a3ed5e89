"""Guards the library itself, for the whole process, against what it would do for a script.

These guards are for functions that other parts of the library call. What scripts call
themselves, such as `operator.attrgetter`, is replaced (`guarded_functions`).
"""

from __future__ import annotations

import string
from functools import partial
from typing import Any

import RestrictedPython.compile

from controlplane.sandbox.child.language.guards.annotation_guards import (
    guard_quoted_annotations,
)
from controlplane.sandbox.child.language.guards.data_class_guards import (
    guard_dataclasses,
    guard_named_tuples,
)
from controlplane.sandbox.child.language.guards.format_guards import check_format


def guard_library() -> None:
    """Guard what the library does on behalf of a script. This changes the whole process."""
    _guard_formatter()
    guard_dataclasses()
    guard_named_tuples()
    guard_quoted_annotations()

    # Otherwise a script would inherit the `__future__` imports of the module that compiles it.
    compile_without_inheriting = partial(compile, dont_inherit=True)
    vars(RestrictedPython.compile)["compile"] = compile_without_inheriting


def _guard_formatter() -> None:
    """Make `string.Formatter` read only attributes that need no guard."""
    get_field: Any = string.Formatter.get_field

    def get_checked_field(
        formatter: Any, field_name: str, args: Any, kwargs: Any
    ) -> Any:
        check_format(f"{{{field_name}}}")  # `0.x` -> `{0.x}`
        return get_field(formatter, field_name, args, kwargs)

    formatter_class: Any = string.Formatter
    formatter_class.get_field = get_checked_field
