"""Two commands of the README that need a server of the reader's own, and a model for them."""

import json

RUN_WITH_A_MODEL = "controlplane run --model qwen3:8b --limit 10"
RUN_ON_A_PLATFORM = "controlplane run --benchmark bitgn:<benchmark id> --model <model>"

REFUSAL = json.dumps(
    {
        "state": "",
        "plan": [],
        "done": True,
        "code": (
            'harness.answer({"answer": "no", "outcome": "OUTCOME_NONE_UNSUPPORTED"},'
            " lambda sp: True)"
        ),
    }
)
"""The reply of the model: a script that answers that the request cannot be served."""
