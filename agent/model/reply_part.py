"""The base class of the parts of a reply, which a user's own model creates.

A wrong call such as `Reply("yes")` is a mistake in the user's program, so its error should help
like one of Python: `Reply takes its values by name, and needs text. Its fields are ...`. pydantic
would raise a `ValidationError`, as for wrong data.
"""

from __future__ import annotations

from typing import Any

from controlplane.agent.model.immutable_data import Frozen


class ReplyPart(Frozen):
    """Immutable data that a user's program creates: `Reply(text="yes")`."""

    def __init__(self, *values: object, **fields: Any) -> None:
        """Raise `TypeError` for positional values, and for unknown or missing fields."""
        model_fields = type(self).model_fields
        missing: list[str] = []
        for name, field_info in model_fields.items():
            if field_info.is_required() and name not in fields:
                missing.append(name)
        unknown = [name for name in fields if name not in model_fields]

        faults: list[str] = []
        if values:
            faults.append("takes its values by name")
        if missing:
            faults.append(f"needs {', '.join(missing)}")
        if unknown:
            faults.append(f"has no {', '.join(unknown)}")
        if faults:
            msg = (
                f"{type(self).__name__} {', and '.join(faults)}. "
                f"Its fields are {', '.join(model_fields)}"
            )
            raise TypeError(msg)
        super().__init__(**fields)

    # `model_validate` must not call this `__init__`: in data from files and endpoints, a wrong
    # field is not a mistake of the user's program. pydantic skips an `__init__` with this mark.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined] # set on a function
