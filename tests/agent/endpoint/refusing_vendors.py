"""Vendors of models that refuse fields of our requests, each with its own message and status.

Each gets this request first, and refuses one field after the other. What we leave out or ask for
instead, it accepts at last:

    {"max_tokens": 9, "temperature": 0.5, "top_p": 0.9, "seed": 7, "reasoning_effort": "low",
     "response_format": {"type": "json_schema", ...}}

`accepted_fields` are some that the last request still has, and `accepted_mode` is how it asks for an
action: by a `schema`, as any `json` object, or in the `text`.
"""

from tests.agent.endpoint.refusing_vendor import Refusal, Vendor

# It names the limit of tokens `max_completion_tokens`, and samples as it wants.
REASONING_MODEL = Vendor(
    refusals=(
        Refusal(
            if_request_has="'max_tokens'",
            message="Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
        ),
        Refusal(
            if_request_has="'temperature'",
            message="Unsupported value: 'temperature' does not support 0.5 with this model.",
        ),
        Refusal(
            if_request_has="'top_p'",
            message="Unsupported parameter: 'top_p' is not supported with this model.",
        ),
    ),
    accepted_fields={"max_completion_tokens": 9, "seed": 7, "reasoning_effort": "low"},
    accepted_mode="schema",
)

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

# It takes a schema of the action, but not one that limits the length of a list (`maxItems`).
SCHEMA_WITHOUT_BOUNDS = Vendor(
    refusals=(
        Refusal(
            if_request_has="'maxItems'",
            message="Invalid schema for response_format 'action': 'maxItems' is not permitted.",
        ),
    ),
    accepted_fields={"temperature": 0.5},
    accepted_mode="schema",
)
# The same, with another message, in which the name stands without quotation marks.
SCHEMA_WITHOUT_BOUNDS_UNQUOTED = Vendor(
    refusals=(
        Refusal(
            if_request_has="'maxItems'",
            message="invalid schema for response format: "
            "response_format/json_schema: maxItems is not supported",
        ),
    ),
    accepted_fields={"temperature": 0.5},
    accepted_mode="schema",
)

# It refuses every field that is not in the first version of the protocol.
OLD_PROXY = Vendor(
    refusals=(
        Refusal(
            if_request_has="'strict'",
            message="json_schema.strict: Extra inputs are not permitted",
            status=422,
        ),
        Refusal(
            if_request_has="'seed'",
            message="body.seed: Extra inputs are not permitted",
            status=422,
        ),
        Refusal(
            if_request_has="reasoning_effort",
            message="[{'type': 'extra_forbidden', 'loc': ('body', 'reasoning_effort'), 'msg': 'no'}]",
        ),
    ),
    accepted_fields={"temperature": 0.5},
    accepted_mode="schema",
)
