"""Guards the library itself, for the whole process, against what it would do for a script.

The library reads and sets attributes on behalf of a script: `string.Formatter().format("{0.x}", a)`
reads `a.x`. What a script calls itself, such as `operator.attrgetter`, it gets in another version
(`guarded_functions`). What other parts of the library call, too, is changed here.
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

    # RestrictedPython compiles the scripts. Code inherits the `__future__` imports of the module
    # that calls `compile`, unless this option is set.
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
