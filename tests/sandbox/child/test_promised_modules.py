"""A script can import every module that `docs/sandbox.md` promises: `import json` and 34 others."""

import pytest

from controlplane.sandbox import Sandbox


@pytest.mark.parametrize(
    "module",
    [
        "json", "re", "math", "datetime", "time", "zoneinfo",
        "calendar", "decimal", "fractions", "statistics", "collections", "itertools",
        "functools", "operator", "string", "textwrap", "csv", "io",
        "random", "heapq", "bisect", "dataclasses", "enum", "typing",
        "contextlib", "copy", "hashlib", "base64", "urllib.parse", "html",
        "unicodedata", "uuid", "pprint", "difflib", "sys",
    ],
)  # fmt: skip
def test_every_promised_module_can_be_imported(module: str, sandbox: Sandbox) -> None:
    """The imported module has names, so that it is not an empty one in its place."""
    result = sandbox.run(f"import {module}\nprint(len(dir({module})) > 0)")

    assert result.output == "True\n"
