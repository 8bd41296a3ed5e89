"""A tool of the shop runs in a worker process, which is sent the shop's files and the call.

A hostile script may take the worker over, and must not find there what the right answer is.
"""

import json
from collections.abc import Callable
from unittest import mock

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from tests.benchmarks.ecom.variant_ids import family_of_variant, variant_ids
from tests.benchmarks.ecom.variants import generate_variant

FOUR_VARIANTS = variant_ids()[:4]
"""Kinds of tasks, such as `archive-fraud`. All are sent by the same code, so four are enough."""


@pytest.mark.parametrize("variant_id", FOUR_VARIANTS)
def test_nothing_of_the_right_answer_is_sent_to_a_worker(variant_id: str) -> None:
    """`task.truth` says what a right answer is, and what it changes."""
    task = generate_variant(variant_id, f"0|{variant_id}|0")
    shop = EcomEnvironment(workspace_of(task.world))
    messages: list[str] = []

    def call(function: str, *arguments: object, serve: object = None) -> object:
        messages.append(json.dumps([function, *arguments]))
        return {"result": {"stdout": ""}, "changes": {}}

    def when_started(begin: Callable[[], object]) -> object:
        return begin()

    # A stand-in for the worker, which records the calls of its functions.
    shop.use_worker(mock.Mock(call=call, when_started=when_started))
    shop.call("exec", {"path": "/bin/cat", "args": ["/AGENTS.MD"]})

    assert len(messages) == 2  # the shop's files, and the call of the tool
    sent = "".join(messages)
    family = family_of_variant(variant_id)
    secrets = [task.instruction, variant_id, family, "OUTCOME_", "Truth", "grade"]
    secrets += [content for content in task.truth.changes.values() if content]
    for secret in secrets:
        secret_in_json = json.dumps(secret).removeprefix('"').removesuffix('"')
        assert secret_in_json not in sent, secret
