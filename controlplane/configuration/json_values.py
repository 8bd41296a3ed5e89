"""Settings that may be given as JSON text, such as `{"input": 2, "output": 8}`.

In controlplane.toml they are tables; on the command line and in the environment, JSON.
"""

from __future__ import annotations

from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json


def parse_object(value: object) -> object:
    """Return a mapping, parsed if it is JSON text. Raises `ValueError` for anything else."""
    if isinstance(value, str):
        try:
            value = read_json(value) if value.strip() else {}
        except Unreadable as error:
            msg = (
                f"""this is not a JSON object such as '{{"name": "value"}}' ({error})"""
            )
            raise ValueError(msg) from None
    if not isinstance(value, dict):
        msg = """a JSON object is needed, such as '{"name": "value"}'"""
        raise ValueError(msg)  # noqa: TRY004 - pydantic reports it as a fault of the value
    return value


def parse_optional_object(value: object) -> object:
    """Return what `parse_object` returns; None for an empty value."""
    if value in (None, ""):
        return None
    return parse_object(value)
