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


def as_steps(value: object) -> list[str]:
    r"""Return a plan as a list of steps: `"read\nanswer"` -> `["read", "answer"]`.

    Any type is accepted, because a plan is only a remark.
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


def as_flag(value: object) -> bool:
    """Return True if a value means yes: `true`, `"Yes"` or `1`."""
    return str(value).strip().casefold() in ("true", "yes", "1")


def as_program(value: object) -> object:
    """Return code as one text, with its form repaired (see `code_repairs`).

    Models also write it as a list of lines: `["a = 1", "print(a)"]` -> `a = 1`, a newline,
    `print(a)`. A value of another type is returned unchanged, and pydantic refuses it.
    """
    if isinstance(value, list | tuple) and all(isinstance(line, str) for line in value):
        value = "\n".join(line.removesuffix("\n") for line in value)
    if not isinstance(value, str):
        return value
    # Lone surrogates are replaced, because they cannot be encoded.
    return repaired_code(well_formed(value))


class Action(BaseModel):
    """One turn of a model: its state, its plan, whether it is done, and the code to run.

    `{"state": "reading the rules", "plan": "answer", "done": "no", "script": "print(1)"}` ->
    `Action(state="reading the rules", plan=("answer",), done=False, code="print(1)")`

    Each field is also read under other names that models use, such as `script` for `code`. The
    function in its `BeforeValidator` brings what the model wrote into the right form.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    state: Annotated[str, BeforeValidator(as_text)] = Field(
        "", validation_alias=AliasChoices(*STATE_NAMES)
    )
    """What the model is at, in words."""
    plan: Annotated[tuple[str, ...], BeforeValidator(as_steps)] = Field(
        (), validation_alias=AliasChoices(*PLAN_NAMES)
    )
    """The next steps, at most 5."""
    done: Annotated[bool, BeforeValidator(as_flag)] = Field(
        False, validation_alias=AliasChoices(*DONE_NAMES)
    )
    """True if the model says that its task is done. Nothing depends on it."""
    code: Annotated[str, BeforeValidator(as_program)] = Field(
        min_length=1, validation_alias=AliasChoices(*CODE_NAMES)
    )
    """The script to run, in Python."""
    further_actions: int = 0
    """How many actions follow in the same reply. They are not run."""
