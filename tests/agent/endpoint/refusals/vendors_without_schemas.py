"""Vendors of models that refuse the way in which a request asks for an action.

A request asks for an action in one of four ways. Once a way is refused, the next one is tried:

    1. by a JSON schema                 'response_format': {'type': 'json_schema', ...}
    2. by a tool                        'tools': [...], 'tool_choice': {...}, or 'required', or none
    3. by any JSON object               'response_format': {'type': 'json_object'}
    4. by words alone                   neither field

`if_request_has` is a part of such a line. `accepted_mode` is the way that is left: `json` or `text`.
"""

from tests.agent.endpoint.refusals.refusing_vendor import Refusal, Vendor

# It refuses ways 1 and 2: first each choice of a tool, then tools.
JSON_OBJECTS_ONLY = Vendor(
    refusals=(
        Refusal(
            if_request_has="json_schema",
            message="This response_format type is unavailable now",
        ),
        Refusal(
            if_request_has="'tool_choice': {",
            message="deepseek-reasoner does not support this tool_choice",
        ),
        Refusal(
            if_request_has="'tool_choice': 'required'",
            message="Thinking mode does not support this tool_choice",
        ),
        Refusal(
            if_request_has="'tools'", message="tools are not supported by this model"
        ),
    ),
    accepted_fields={"response_format": {"type": "json_object"}},
    accepted_mode="json",
)

# It refuses ways 1 and 2. It would take tools if it had been started with the option `--jinja`.
LLAMA_CPP_WITHOUT_TEMPLATES = Vendor(
    refusals=(
        Refusal(if_request_has="json_schema", message="failed to parse grammar"),
        Refusal(
            if_request_has="'tools'",
            message="tools param requires --jinja flag",
            status=500,
        ),
    ),
    accepted_fields={"response_format": {"type": "json_object"}},
    accepted_mode="json",
)

# It refuses ways 1, 2 and 3, because none of the vendors behind it accepts them.
GATEWAY_WITHOUT_A_PROVIDER = Vendor(
    refusals=(
        Refusal(
            if_request_has="json_schema",
            message="No endpoints found that can handle the requested parameters.",
            status=404,
        ),
        Refusal(
            if_request_has="'tools'",
            message="No endpoints found that support tool use.",
            status=404,
        ),
        Refusal(
            if_request_has="response_format",
            message="No endpoints found that can handle the requested parameters.",
            status=404,
        ),
    ),
    accepted_fields={},
    accepted_mode="text",
)
