"""Vendors of models that refuse the way in which we ask for an action, each with its own message.

A request asks for an action first by a JSON schema, then by a tool, then as any JSON object, and at
last in the text. Each vendor here refuses one after the other; `accepted_mode` is what is left:
`schema`, `json` or `text`.
"""

from tests.agent.endpoint.refusals.refusing_vendor import Refusal, Vendor

# It takes neither schemas nor tools, but JSON objects.
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

# It cannot handle our schema. It takes tools only if it was started with an option, `--jinja`.
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

# It passes requests on to vendors, none of which takes schemas, tools or JSON objects.
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
