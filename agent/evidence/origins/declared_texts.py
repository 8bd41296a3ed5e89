"""Collects the texts by which an environment declares its operations.

The declarations are by the environment itself, so their texts are trusted. If a script calls
`run("/bin/count")`, the path is known from there, even if a mail mentions this tool, too.

    declared_texts(tool_schema)
        -> the texts `read`, `read a file`, `path`, `string`, ..., `/bin/count: counts words`
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.evidence.texts.plain_texts import texts_in
from controlplane.agent.evidence.texts.result_text import ResultText
from controlplane.sandbox.interface import Plain, ToolSchema


def declared_texts(tool_schema: ToolSchema) -> list[ResultText]:
    """Return the names, descriptions and schemas of all operations and programs, as data."""
    texts: list[str] = []
    for operation in tool_schema.operations:
        texts += [operation.name, operation.summary]
        for parameter in operation.parameters:
            schema = _plain(parameter.json_schema)
            texts += [parameter.name, *texts_in(schema)]
    for tool in tool_schema.executables:
        texts.append(f"{tool.path}: {tool.summary}")
    return [ResultText(text, is_data=True) for text in texts]


def _plain(value: object) -> Plain:
    """Return a part of a JSON schema as plain data. A schema may have tuples and mappings."""
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value if isinstance(value, str | int | float | bool) else None
