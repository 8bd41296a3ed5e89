"""The action of one turn: the code to run, and remarks about it.

Models do not keep to one form. These are the same action:

    {"state": "reading", "plan": ["answer"], "done": false, "code": "print(1)"}
    {"current_state": "reading", "plan": "answer", "done": "no", "script": "print(1)"}
"""

from __future__ import annotations

from typing import Annotated

from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
)

from controlplane.agent.reply.action_fields import (
    CODE_NAMES,
    DONE_NAMES,
    PLAN_NAMES,
    STATE_NAMES,
)
from controlplane.agent.reply.lenient_fields import (
    is_yes,
    program_of,
    state_of,
    steps_of,
)


class Action(BaseModel):
    """What a model wants to do in one turn.

    Models also use other names, such as `script` for `code`, and other forms:

    `{"state": "reading the rules", "plan": "answer", "done": "no", "script": "print(1)"}` ->
    `Action(state="reading the rules", plan=("answer",), done=False, code="print(1)")`
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    state: Annotated[str, BeforeValidator(state_of)] = Field(
        "", validation_alias=AliasChoices(*STATE_NAMES)
    )
    """What the model is at, in words."""
    plan: Annotated[tuple[str, ...], BeforeValidator(steps_of)] = Field(
        (), validation_alias=AliasChoices(*PLAN_NAMES)
    )
    """The next steps, at most 5."""
    done: Annotated[bool, BeforeValidator(is_yes)] = Field(
        False, validation_alias=AliasChoices(*DONE_NAMES)
    )
    """True if the model says that its task is done. Nothing depends on it."""
    code: Annotated[str, BeforeValidator(program_of)] = Field(
        min_length=1, validation_alias=AliasChoices(*CODE_NAMES)
    )
    """The script to run, in Python."""
    further_actions: int = 0
    """How many actions follow in the same reply. They are not run."""
