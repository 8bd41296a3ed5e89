"""The result of a tool's call, as scripts get it.

A script gets the returned value as JSON, and a path such as `/calls/find_order/3f9a0c12be`.
An answer can cite the result by this path, as it cites a file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from pydantic_core import to_jsonable_python

from controlplane.gates.surrogates import encodable
from controlplane.sandbox.interface import CallError, Plain, error_codes

_MAX_RESULT_CHARS: Final = 900_000
"""The largest result in characters. A message to a script's process cannot carry more."""
MAX_FAULT_CHARS: Final = 500
_DIGEST_CHARS: Final = 10
"""The number of hexadecimal digits in a result's path. With ten,
two results of a trial practically never have the same path."""


def citable_result(operation: str, path: str, **texts: str) -> dict[str, Plain]:
    """Return the fields of a call's result: `texts`, and `call_path`, the path to cite it by.

    Raises `CallError` if the texts are too long for a script.
    """
    size = sum(len(text) for text in texts.values())
    if size > _MAX_RESULT_CHARS:
        msg = (
            f"{operation} returned {size:,} characters, and at most "
            f"{_MAX_RESULT_CHARS:,} are passed on: ask it for less"
        )
        raise CallError(error_codes.FAILED_PRECONDITION, msg)
    result: dict[str, Plain] = {"call_path": path}
    for name, text in texts.items():
        result[name] = encodable(text)  # Without characters that RE2 cannot read.
    return result


def result_path(folder: str, arguments: Mapping[str, object], *texts: str) -> str:
    """Return the path to cite a result by: `/calls/find_order/3f9a0c12be`.

    The same call with the same result has the same path.
    """
    content = json.dumps([arguments, *texts], sort_keys=True, default=str)
    digest = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()
    return f"{folder}/{digest[:_DIGEST_CHARS]}"


def json_text(tool: str, value: object) -> str:
    """Return a value that a tool returned as JSON.

    Raises `CallError` for a value that JSON cannot express.
    """
    try:
        data = _jsonable(value)
        return encodable(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
    except (ValueError, RecursionError) as error:
        # Such as a function, or a list that contains itself.
        kind = type(value).__name__
        fault = f"{tool} returned {kind}, which is no data: {error}"
        shown = " ".join(fault.split())[:MAX_FAULT_CHARS]
        raise CallError(error_codes.INTERNAL, shown) from None


def _jsonable(value: object) -> object:
    """Return a value in JSON's types.

    Bytes become text, or URL-safe base64 if they are not UTF-8.
    """
    try:
        return to_jsonable_python(value, bytes_mode="utf8")
    except UnicodeDecodeError:
        return to_jsonable_python(value, bytes_mode="base64")
