"""Messages of the platform in proto3 JSON, and the names of its states.

Names of fields are in camel case, and unknown fields are ignored. A field with its default
value may be missing or null, and a name of an enum may arrive as its number: `2` for
`RUN_STATE_PENDING_EVAL`.
"""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator
from pydantic.alias_generators import to_camel

RUN_PENDING: Final = "RUN_STATE_PENDING_EVAL"
RUN_EVALUATED: Final = "RUN_STATE_EVALUATED"
TRIAL_DONE: Final = "TRIAL_STATE_DONE"
TRIAL_ERROR: Final = "TRIAL_STATE_ERROR"


def _enum(*names: str) -> BeforeValidator:
    """Return a validator for a field with a name of an enum, which may arrive as a number.

    It changes the number to its name: 0 to the first of `names`. A number without a name
    becomes a text, `"7"`, so that a new state of the platform is not an error.
    """

    def name_of(value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, int):
            return value
        if 0 <= value < len(names):
            return names[value]
        return str(value)

    return BeforeValidator(name_of)


# The names of an enum. A reply may have the number of a name in its place.
RunStateName: TypeAlias = Annotated[
    str,
    _enum("RUN_STATE_UNSPECIFIED", "RUN_STATE_RUNNING", RUN_PENDING, RUN_EVALUATED),
]
TrialStateName: TypeAlias = Annotated[
    str,
    _enum(
        "TRIAL_STATE_UNSPECIFIED",
        "TRIAL_STATE_NEW",
        "TRIAL_STATE_RUNNING",
        TRIAL_DONE,
        TRIAL_ERROR,
    ),
]
PolicyName: TypeAlias = Annotated[
    str,
    _enum(
        "EVAL_POLICY_UNSPECIFIED",
        "EVAL_POLICY_BLIND",
        "EVAL_POLICY_OPEN",
        "EVAL_POLICY_PRIVATE",
    ),
]


class WireMessage(BaseModel):
    """A message in proto3 JSON, with names in camel case.

    A field with its default value may be missing or null.
    """

    model_config = ConfigDict(
        frozen=True, extra="ignore", alias_generator=to_camel, populate_by_name=True
    )

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, message: object) -> object:
        """Leave out the fields that are null, so that they get their defaults."""
        if not isinstance(message, dict):
            return message
        return {name: value for name, value in message.items() if value is not None}
