"""Base classes of immutable data. They differ in what they do with an unknown field.

| class | for data | an unknown field |
|---|---|---|
| `Frozen` | of the product itself | raises `ValidationError` |
| `Received` | that an outside program sends | is ignored |

A third one, `ReplyPart`, is for data that a user's program creates.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from controlplane.sandbox.interface import bounds

Count: TypeAlias = Annotated[int, Field(ge=0, le=bounds.MOST_NUMBER)]
Amount: TypeAlias = Annotated[float, Field(ge=0, le=bounds.MOST_NUMBER)]


class Frozen(BaseModel):
    """Immutable data that accepts only its declared fields. Others raise `ValidationError`."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Received(BaseModel):
    """Data that an outside program sends. Unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")
