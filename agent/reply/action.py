"""The action of one turn: the code to run, and remarks about it.

`{"state": "reading the rules", "plan": ["answer"], "done": false, "code": "print(1)"}`

Models also write fields in other forms. They are read leniently: `"done": "Yes"` -> True
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
)

from controlplane.agent.model import object_schema
from controlplane.agent.reply.action_fields import (
    CODE_NAMES,
    DONE_NAMES,
    PLAN_NAMES,
    STATE_NAMES,
)
from controlplane.agent.reply.code_repairs import repaired_code
from controlplane.sandbox.interface import well_formed

MAX_PLAN_STEPS: Final = 5

SCHEMA: Final = object_schema(
    {
        "state": {"type": "string", "maxLength": 400},
        "plan": {
            "type": "array",
            "items": {"type": "string", "maxLength": 200},
            "maxItems": MAX_PLAN_STEPS,
        },
        "done": {"type": "boolean"},
        "code": {"type": "string"},
    }
)
"""The JSON schema of an action, for endpoints that constrain their output.

State and plan have length limits, because small models would fill them without end. Code has no
limit: code that an endpoint cuts off at a limit may look complete.
"""


def as_text(value: object) -> str:
    """Return a state as text. Any type is accepted, because a state is only a remark."""
    return "" if value is None else str(value)


def as_flag(value: object) -> bool:
    """Return True if a value means yes: `true`, `"Yes"` or `1`."""
    return str(value).strip().casefold() in ("true", "yes", "1")


class Action(BaseModel):
    """One turn of a model: its state, its plan, whether it is done, and the code to run.

    `{"state": "reading the rules", "plan": ["answer"], "done": false, "code": "print(1)"}`
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    # Each field is also read under names that models invent, such as `script` for `code`.
    state: Annotated[str, BeforeValidator(as_text)] = Field(
        "", validation_alias=AliasChoices(*STATE_NAMES)
    )
    """What the model is at, in words."""
    plan: tuple[str, ...] = Field((), validation_alias=AliasChoices(*PLAN_NAMES))
    """The next steps, at most 5."""
    done: Annotated[bool, BeforeValidator(as_flag)] = Field(
        False, validation_alias=AliasChoices(*DONE_NAMES)
    )
    """True if the model says that its task is done. Nothing depends on it."""
    code: str = Field(min_length=1, validation_alias=AliasChoices(*CODE_NAMES))
    """The script to run, in Python."""
    others: int = 0
    """How many further actions the same reply has. They are not run."""

    @field_validator("plan", mode="before")
    @classmethod
    def plan_as_list(cls, value: object) -> object:
        r"""Return a plan as a list of steps: `"read\nanswer"` -> `["read", "answer"]`.

        Any type is accepted, because nothing depends on the plan: it is only recorded.
        """
        if value is None:
            return []
        if isinstance(value, str):
            steps = [line.strip() for line in value.splitlines() if line.strip()]
        elif isinstance(value, list | tuple):
            steps = [str(step) for step in value]
        else:
            steps = [str(value)]
        return steps[:MAX_PLAN_STEPS]

    @field_validator("code", mode="before")
    @classmethod
    def code_as_text(cls, value: object) -> object:
        """Return code as one repaired text. The model may write it as a list of lines.

        `["a = 1", "print(a)"]` -> `a = 1`, a newline, `print(a)`

        A value of another type is returned unchanged, and pydantic refuses it. `well_formed`
        replaces lone surrogates, which cannot be encoded.
        """
        if isinstance(value, list | tuple) and value:
            lines = [line for line in value if isinstance(line, str)]
            if len(lines) == len(value):  # All of them are strings.
                value = "\n".join(line.removesuffix("\n") for line in lines)
        if not isinstance(value, str):
            return value
        return repaired_code(well_formed(value))
