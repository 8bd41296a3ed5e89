"""The arguments of a call: what the script chose, and the texts in it.

A script could have a tool store a text or repeat it, and then cite it as found. So the texts of its
arguments are compared with results:

| call | property | value |
|---|---|---|
| `search(path="/docs", pattern=["café", 7], limit=10)` | `inputs` | `{"pattern": ["café", 7]}` |
| the same: the default of the limit is 10 | `input_texts` | `["café", "7"]` |
| `write(path="/a.md", content="fee: 7")` | `written_text` | `fee: 7` |
| `exec(path="/bin/cat", args=["-n", "/a.md"])` | `command_line` | `("-n", "/a.md")` |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.texts.plain_texts import texts_in
from controlplane.sandbox.interface import Operation, Plain


@dataclass(frozen=True, slots=True)
class CallArguments:
    """The arguments of one call."""

    declared: Operation
    """The declaration of the operation that is called."""
    values: Mapping[str, Plain]
    """All arguments by name: `{"path": "/docs", "pattern": ["café", 7], "limit": 10}`."""

    @property
    def inputs(self) -> dict[str, Plain]:
        """What the script chose, sorted by name: not the path, and no default value."""
        defaults = {
            parameter.name: parameter.default for parameter in self.declared.parameters
        }
        path_name = self.declared.subject  # the name of the argument that has the path
        inputs: dict[str, Plain] = {}
        for name in sorted(self.values):
            value = self.values[name]
            if name != path_name and value != defaults.get(name):
                inputs[name] = value
        return inputs

    @property
    def input_texts(self) -> list[str]:
        """The texts, numbers and names in the inputs, each by itself."""
        return list(texts_in(list(self.inputs.values())))

    @property
    def written_text(self) -> str:
        """The text that a call writes to a file: all its text arguments but the path."""
        path_name = self.declared.subject
        texts: list[str] = []
        for name, value in self.values.items():
            if name != path_name and isinstance(value, str):
                texts.append(value)
        return "\n".join(texts)

    @property
    def command_line(self) -> tuple[str, ...]:
        """The words after a tool's path: `-n`, `/a.md` for `{"args": ["-n", "/a.md"]}`."""
        words = self.values.get("args")
        if not isinstance(words, list):
            return ()
        return tuple(str(word) for word in words)
