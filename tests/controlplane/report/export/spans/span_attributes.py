"""The attributes of a span, which a trace for OpenTelemetry has for all that took time.

For example:

    attributes_of(span)    ->    {"gen_ai.operation.name": "chat", ...}
"""

from typing import Any


def attributes_of(span: dict[str, Any]) -> dict[str, object]:
    """Return a span's attributes: `{"gen_ai.operation.name": "chat", ...}`.

    The file writes each as `{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}`.
    """
    attributes = {}
    for attribute in span["attributes"]:
        (value,) = attribute["value"].values()
        attributes[attribute["key"]] = value
    return attributes
