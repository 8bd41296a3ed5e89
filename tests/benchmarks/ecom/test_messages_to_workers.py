"""What a worker process is sent, in which a tool of the shop runs: the files and the call.

A hostile script may take the worker over, and must not find there what the right answer is.
"""

import json
from unittest import mock

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from tests.benchmarks.ecom.variant_ids import family_of_variant, variant_ids
from tests.benchmarks.ecom.variants import generate_variant


@pytest.mark.parametrize("variant_id", variant_ids()[:4])
def test_nothing_of_the_right_answer_is_sent_to_a_worker(variant_id: str) -> None:
    """A variant is a kind of task: `archive-fraud`. Its truth has the changes of a right answer."""
    task = generate_variant(variant_id, f"0|{variant_id}|0")
    shop = EcomEnvironment(workspace_of(task.world))
    messages: list[str] = []

    def record_call(function: str, *arguments: object, serve: object = None) -> object:
        messages.append(json.dumps([function, *arguments]))
        return {"result": {"stdout": ""}, "changes": {}}

    # In place of the worker, `record_call` gets what is sent to it.
    worker = mock.Mock(call=record_call, when_started=lambda begin: begin())
    shop.use_worker(worker)
    shop.call("exec", {"path": "/bin/cat", "args": ["/AGENTS.MD"]})

    _workspace, _call = messages
    sent = "".join(messages)
    family = family_of_variant(variant_id)
    secrets = [task.instruction, variant_id, family, "OUTCOME_", "Truth", "grade"]
    secrets += [content for content in task.truth.changes.values() if content]
    for secret in secrets:
        secret_in_json = json.dumps(secret).removeprefix('"').removesuffix('"')
        assert secret_in_json not in sent, secret
