"""One operation that an environment lets a script call, declared as data, and how a call of it can fail."""

from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
"""What travels between script and parent: JSON's own types."""


class Effect(StrEnum):
    """What a call does to the evidence at the path that its subject parameter names."""

    READS = "reads"
    WRITES = "writes"
    DELETES = "deletes"
    EXECUTES = "executes"
    LISTS = "lists"
    NONE = "none"


class Required:
    """The default of a parameter that has none."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED: Final = Required()


class Parameter(NamedTuple):
    """One parameter of an operation, passed by position or by name."""

    name: str
    type: str
    """`str`, `int`, `bool` or `list[str]`."""
    default: "Plain | Required" = REQUIRED

    @property
    def is_required(self) -> bool:
        """Whether every call has to give it."""
        return self.default is REQUIRED


CHECK: Final = Parameter("check", "bool", False)
"""What scripts may pass to every operation with an exit code."""


class ResultField(NamedTuple):
    """One attribute of an operation's result; `items` names the attributes of each element of a list."""

    name: str
    items: tuple[str, ...] = ()


class Operation(NamedTuple):
    """One call that a script may make as `harness.<name>(...)`."""

    name: str
    parameters: tuple[Parameter, ...]
    fields: tuple[ResultField, ...]
    summary: str
    """One line for the prompt, without a full stop."""
    effect: Effect = Effect.NONE
    subject: str = "path"
    """The parameter that holds the path the effect is about."""
    json_field: str = ""
    """Where set, the result has `.json()`, which parses this field."""
    drawn_as_tree: bool = False
    """The result prints as an indented tree of `.name` and `.children`."""
    exit_field: str = ""
    """Where set, this result field is an exit code: any other than 0 is told to the solver, and `check=True` raises."""
    finds: str = ""
    """Where set, the function (`module:name`) that computes the result out of what it reads by further calls. Scripts
    call it as `harness.tools.<name>(...)`."""

    @property
    def takes_check(self) -> bool:
        """Whether scripts may pass `check`, which never leaves their process."""
        return bool(self.exit_field) and all(each.name != CHECK.name for each in self.parameters)


class CallError(Exception):
    """A call of the environment failed.

    `code` is a Connect code, as those named above. A script sees `not_found` as
    `FileNotFoundError` and every other code as `HarnessError` with `.code`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message

    host_broke = False
    """The host failed in a way that it does not declare: the same call would break it again."""

    def __reduce__(self) -> "tuple[type[CallError], tuple[str, str]]":
        return CallError, (self.code, self.message)
