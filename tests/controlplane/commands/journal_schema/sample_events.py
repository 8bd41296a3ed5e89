"""A sample of each kind of event that a journal may have, with all of its fields set.

`sample_of(RunNotice)` -> `RunNotice(text="xxx...")`. Values follow from the types of fields:

    type                    value
    str                     "xxx...", 300 characters
    int | None              1
    Literal["ok", "bad"]    "ok"
    tuple[str, int]         ("xxx...", 1)
    dict[str, JsonValue]    ANY_JSON_OBJECT
    a class of pydantic     its sample
"""

from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, JsonValue

from controlplane.journal.run_events import Score

Model = TypeVar("Model", bound=BaseModel)

ANY_JSON_OBJECT = {"a": [1, "@text:", None], "prev": {}}
"""An object that must not be misread. A journal refers to another line by "@text:" and a key, and
has the hash of the line before under "prev"."""

SIMPLE_SAMPLES = {
    str: "x" * 300,  # long enough for a line of its own in the journal
    int: 1,
    float: 0.5,
    bool: True,
    JsonValue: {"type": "thinking"},
}
"""A value for each type that has no parts."""


def sample_of(model: type[Model]) -> Model:
    """Return an object of a class with all of its fields set.

    The field `type` keeps its value, such as "run_notice": it says which event this is.
    """
    fields = {}
    for name, field in model.model_fields.items():
        if name == "now":
            fields[name] = "2026-01-05T09:00:00"  # a text that has to be a time
        elif name != "type":
            fields[name] = _sample_value(field.annotation)
    return model(**fields)


def _sample_value(field_type: Any) -> Any:
    """Return a value for a field, as the table at the top says."""
    generic_type = get_origin(field_type)  # `tuple` for `tuple[str, int]`
    arguments = get_args(field_type)  # `(str, int)` for `tuple[str, int]`

    if generic_type is None and field_type in SIMPLE_SAMPLES:
        return SIMPLE_SAMPLES[field_type]
    if generic_type is None:
        return sample_of(field_type)
    if generic_type is Literal:
        return arguments[0]
    if generic_type is tuple:
        element_types = [argument for argument in arguments if argument is not ...]
        return tuple(_sample_value(element_type) for element_type in element_types)
    if field_type == dict[str, Score]:
        return {"security": 0.5}
    if generic_type is dict:
        return ANY_JSON_OBJECT
    # `Annotated[int, ...]`, `Optional[int]` and `int | None`: the type comes first.
    assert generic_type in (Annotated, Union, UnionType), field_type
    return _sample_value(arguments[0])
