"""The sentences that stand under the fields of models: what documents and `--help` say of them."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from functools import cache
from itertools import pairwise

from pydantic import BaseModel


@cache
def field_texts(model: type[BaseModel]) -> Mapping[str, str]:
    """Return the sentence under each field of a model and its bases, by field, on one line.

    They are read from the source when they are asked for: as part of the model (`use_attribute_docstrings`), they would
    take a tenth of the time that a run needs to start.
    """
    found: dict[str, str] = {}
    for each in reversed(model.__mro__):
        if each is BaseModel or not issubclass(each, BaseModel):
            continue
        (definition,) = ast.parse(inspect.getsource(each)).body
        assert isinstance(definition, ast.ClassDef)
        for field, below in pairwise(definition.body):
            match field, below:
                case ast.AnnAssign(ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                    found[name] = " ".join(text.split())
    return found
