"""Base classes of immutable data, by where the data comes from.

`Frozen` is data of the product itself, `ReplyPart` is created by a user's program, and
`Received` is sent by an outside program. They differ in what a wrong field does.
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
    `TypeError` that lists the fields, instead of pydantic's `ValidationError`.
    """

    def __init__(self, *values: object, **fields: Any) -> None:
        """Raise `TypeError` for positional values, and for unknown or missing fields."""
        model_fields = type(self).model_fields
        missing: list[str] = []
        for name, field_info in model_fields.items():
            if field_info.is_required() and name not in fields:
                missing.append(name)
        unknown = [name for name in fields if name not in model_fields]
        if not (values or missing or unknown):
            super().__init__(**fields)
            return

        faults: list[str] = []
        if values:
            faults.append("takes its values by name")
        if missing:
            faults.append(f"needs {', '.join(missing)}")
        if unknown:
            faults.append(f"has no {', '.join(unknown)}")
        msg = (
            f"{type(self).__name__} {', and '.join(faults)}. "
            f"Its fields are {', '.join(model_fields)}"
        )
        raise TypeError(msg)

    # Data from a file or an endpoint is no mistake of the user's program, and still gets
    # pydantic's errors: this mark, which is internal to pydantic, tells `model_validate` that
    # it need not call this `__init__`.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined] # set on a function


class Received(BaseModel):
    """Data that an outside program sends. Unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")
