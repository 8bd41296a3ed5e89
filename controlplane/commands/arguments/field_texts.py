"""The docstrings of the fields of a model, such as the settings of a run.

Python keeps no docstrings of fields, so they are read from the model's source, when help or the
documentation is printed.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Mapping
from itertools import pairwise

from pydantic import BaseModel


@functools.cache
def field_texts(model: type[BaseModel]) -> Mapping[str, str]:
    """Return the docstring of each field of a model and its bases, by field, on one line.

    For example, this field has the text `The seed of the run.`:

        seed: int = 0
        \"\"\"The seed of the run.\"\"\"

    If pydantic read them when the model is made (`use_attribute_docstrings`), each run would take
    a tenth longer to start.
    """
    texts: dict[str, str] = {}
    for model_class in reversed(model.__mro__):
        # A class overrides the texts of its bases.
        if model_class is BaseModel or not issubclass(model_class, BaseModel):
            continue
        tree = ast.parse(inspect.getsource(model_class))
        class_definition = tree.body[0]
        assert isinstance(class_definition, ast.ClassDef)
        for statement, next_statement in pairwise(class_definition.body):
            field = _annotated_name(statement)
            text = _bare_string(next_statement)
            if field is not None and text is not None:
                texts[field] = " ".join(text.split())
    return texts


def _annotated_name(statement: ast.stmt) -> str | None:
    """Return the name in a statement such as `seed: int = 0`; None for any other statement."""
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id
    return None


def _bare_string(statement: ast.stmt) -> str | None:
    """Return the text of a statement that is only a string; None for any other statement."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        value = statement.value.value
        if isinstance(value, str):
            return value
    return None
