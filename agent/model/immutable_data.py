"""Base classes of immutable data. They differ in what they do with an unknown field.

| class | for data | an unknown field |
|---|---|---|
| `Frozen` | of the product itself | raises `ValidationError` |
| `ReplyPart` | that a user's program creates: `Reply(text="...")` | raises `TypeError` |
| `Received` | that an outside program sends | is ignored |
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from controlplane.sandbox.interface import bounds

Count: TypeAlias = Annotated[int, Field(ge=0, le=bounds.MOST_NUMBER)]
Amount: TypeAlias = Annotated[float, Field(ge=0, le=bounds.MOST_NUMBER)]


class Frozen(BaseModel):
    """Immutable data that accepts only its declared fields. Others raise `ValidationError`."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ReplyPart(Frozen):
    """Base class for the parts of a reply that a user's own model creates.

    A wrong call such as `Reply("yes")` is a mistake in the user's program. It raises a
    `TypeError` that lists the fields, instead of pydantic's `ValidationError`:

        Reply takes its values by name, and needs text. Its fields are tool_calls, text, ...
    """

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


class Received(BaseModel):
    """Data that an outside program sends. Unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")
