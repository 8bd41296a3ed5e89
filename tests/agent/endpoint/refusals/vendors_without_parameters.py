"""Vendors of models that refuse parameters of our requests, each with its own message and status.

A `Refusal` applies if the request's body, as Python prints it, has a text: `'seed'` is the key of
`{'seed': 7}`. The first request has `max_tokens=9, temperature=0.5, top_p=0.9, seed=7,
reasoning_effort="low"`, and asks for an action by a JSON schema. The request that is accepted at last has
`accepted_fields`, and still asks by a schema (`accepted_mode`).
"""

from tests.agent.endpoint.refusals.refusing_vendor import Refusal, Vendor

# It calls the limit of tokens `max_completion_tokens`, and refuses both parameters of sampling.
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
# It refuses the same, and its message has no quotation marks around the name `maxItems`.
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

# It refuses every field that is not in the first version of the protocol, mostly with status 422.
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
            if_request_has="'reasoning_effort'",
            message="[{'type': 'extra_forbidden', 'loc': ('body', 'reasoning_effort'), 'msg': 'no'}]",
        ),
    ),
    accepted_fields={"temperature": 0.5},
    accepted_mode="schema",
)
