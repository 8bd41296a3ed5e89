"""Vendors of models that refuse fields of our requests, each with its own message and status.

Each gets this request first, and refuses one field after the other:

    {"max_tokens": 9, "temperature": 0.5, "top_p": 0.9, "seed": 7, "reasoning_effort": "low",
     "response_format": {"type": "json_schema", ...}}

What it accepts at last is said as well: `REASONING_MODEL` refuses `max_tokens`, `temperature` and
`top_p`, and accepts `max_completion_tokens` and the others.
"""

from tests.agent.endpoint.refusing_vendor import Refusal, Vendor

# It names the limit of tokens `max_completion_tokens`, and samples as it wants.
REASONING_MODEL = Vendor(
    refusals=(
        Refusal(
            "'max_tokens'",
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
        ),
        Refusal(
            "'temperature'",
            "Unsupported value: 'temperature' does not support 0.5 with this model.",
        ),
        Refusal(
            "'top_p'",
            "Unsupported parameter: 'top_p' is not supported with this model.",
        ),
    ),
    accepted_fields={"max_completion_tokens": 9, "seed": 7, "reasoning_effort": "low"},
    accepted_mode="schema",
)

# It takes neither schemas nor tools. An action can be requested as a JSON object.
JSON_OBJECTS_ONLY = Vendor(
    refusals=(
        Refusal("json_schema", "This response_format type is unavailable now"),
        Refusal(
            "'tool_choice': {",
            "deepseek-reasoner does not support this tool_choice",
        ),
        Refusal(
            "'tool_choice': 'required'",
            "Thinking mode does not support this tool_choice",
        ),
        Refusal("'tools'", "tools are not supported by this model"),
    ),
    accepted_fields={"response_format": {"type": "json_object"}},
    accepted_mode="json",
)

# It cannot handle our schema. It takes tools only if it was started with an option, `--jinja`.
LLAMA_CPP_WITHOUT_TEMPLATES = Vendor(
    refusals=(
        Refusal("json_schema", "failed to parse grammar"),
        Refusal("'tools'", "tools param requires --jinja flag", status=500),
    ),
    accepted_fields={"response_format": {"type": "json_object"}},
    accepted_mode="json",
)

# It passes requests on to vendors, none of which takes schemas, tools or JSON objects. So the action is
# requested as text.
GATEWAY_WITHOUT_A_PROVIDER = Vendor(
    refusals=(
        Refusal(
            "json_schema",
            "No endpoints found that can handle the requested parameters.",
            status=404,
        ),
        Refusal("'tools'", "No endpoints found that support tool use.", status=404),
        Refusal(
            "response_format",
            "No endpoints found that can handle the requested parameters.",
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
            "'maxItems'",
            "Invalid schema for response_format 'action': 'maxItems' is not permitted.",
        ),
    ),
    accepted_fields={"temperature": 0.5},
    accepted_mode="schema",
)
# The same, with another message, in which the name stands without quotation marks.
SCHEMA_WITHOUT_BOUNDS_UNQUOTED = Vendor(
    refusals=(
        Refusal(
            "'maxItems'",
            "invalid schema for response format: "
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
            "'strict'", "json_schema.strict: Extra inputs are not permitted", status=422
        ),
        Refusal("'seed'", "body.seed: Extra inputs are not permitted", status=422),
        Refusal(
            "reasoning_effort",
            "[{'type': 'extra_forbidden', 'loc': ('body', 'reasoning_effort'), 'msg': 'no'}]",
        ),
    ),
    accepted_fields={"temperature": 0.5},
    accepted_mode="schema",
)
