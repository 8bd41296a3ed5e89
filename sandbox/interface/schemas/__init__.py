"""JSON schemas of arguments: the Python type that a prompt shows, and the check before a call.

- `type_text` returns the type that a schema
  stands for, as Python writes it: `list[str]`.
- `schema_fault` returns why a value does not fit a schema: ` is int, not str '7'`.

A schema may come from an untrusted server. So the work on a schema is limited, and only
its structure is checked: types, enumerations, bounds, keys, alternatives, and
references within the schema. Any other part of a schema accepts every value. Patterns
are not checked, because they could take very long.
"""

from controlplane.sandbox.interface.schemas.json_types import is_same
from controlplane.sandbox.interface.schemas.python_types import type_text
from controlplane.sandbox.interface.schemas.schema_check import schema_fault
