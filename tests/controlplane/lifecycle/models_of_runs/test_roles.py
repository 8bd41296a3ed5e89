"""A run may ask several models, each at its own endpoint.

An agent asks models in roles: `solve` is its main task, and `classify` a smaller one, for which the
user may name a smaller model: `role = {"classify": {"model": "s", "base_url": …}}`.
"""

from controlplane.agent.model import Message
from controlplane.configuration.run_settings import RunSettings
from controlplane.lifecycle.resources.opening_resources import open_resources
from controlplane.lifecycle.resources.run_solver import RunSpec
from tests.support.endpoints import completion_json, http_response, model_server


def test_each_role_is_asked_at_its_own_endpoint() -> None:
    """Nothing asks in the third role, whose endpoint is known all the same."""
    with (
        model_server(http_response(200, completion_json("big"))) as big_server,
        model_server(http_response(200, completion_json("small"))) as small_server,
    ):
        settings = RunSettings(
            agent="exoskeleton",
            model="m",
            base_url=big_server.url,
            role={
                "classify": {
                    "model": "s",
                    "base_url": small_server.url,
                    "reasoning_effort": "low",
                },
                "check_draft": {"model": "unused", "base_url": "http://127.0.0.1:9/v1"},
            },
        )
        message: Message = {"role": "user", "content": "u"}
        with open_resources(RunSpec(settings)) as resources:
            assert resources.model is not None
            solve_reply = resources.model.complete([message], "solve")
            classify_reply = resources.model.complete([message], "classify")

    assert solve_reply.text == "big"
    assert classify_reply.text == "small"
    (small_request,) = [request.body for request in small_server.asked]
    assert small_request["model"] == "s"
    assert small_request["reasoning_effort"] == "low"
    assert len(resources.models.endpoints) == 3
