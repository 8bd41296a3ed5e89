"""The cost of a fork: a recorded trial that is played again from one of its steps on.

    controlplane fork parent --trial fee --step 2 --repeats 3 --run-cost 0.003

This plays the trial three times, and stops before the forks cost more than $0.003.
"""

import json
import socket
from pathlib import Path

import pytest

from controlplane.errors import BudgetExhausted
from tests.controlplane.model_endpoints.phonebook_endpoint import phonebook_endpoint
from tests.support.endpoints import ModelHttpRequest, completion_json, http_response


@pytest.mark.parametrize(
    ("run_cost", "code", "cost_usd"),
    [
        pytest.param("1", 0, 0.006, id="enough for all three forks"),
        pytest.param(
            "0.003", BudgetExhausted.exit_code, 0.002, id="enough for one of them"
        ),
    ],
)
def test_a_fork_pays_only_for_the_replies_that_it_does_not_take_over(
    run_cost: str, code: int, cost_usd: float, tmp_path: Path
) -> None:
    """From step 2 on, a fork takes the first reply over from the record, and pays $0.002 for the
    second."""
    task = tmp_path / "tasks" / "fee"
    task.mkdir(parents=True)
    (task / "task.toml").write_text(
        'instruction = "What is the fee?"\n'
        '[expected]\noutcome = "OUTCOME_OK"\nanswer = "7"\n'
    )
    first_script = "print('I look at nothing.')"
    second_script = (
        "scratchpad['answer'], scratchpad['outcome'] = '7', 'OUTCOME_OK'\n"
        "harness.answer(scratchpad, lambda sp: sp['answer'] == '7')\n"
    )

    def respond_in_two_steps(
        request: ModelHttpRequest, connection: socket.socket
    ) -> bytes:
        # A request has all earlier replies, as messages of the role "assistant".
        is_first_step = "assistant" not in json.dumps(request.body["messages"])
        script = first_script if is_first_step else second_script
        action = {"state": "s", "plan": [], "done": False, "code": script}
        completion = completion_json(
            json.dumps(action), prompt_tokens=1000, completion_tokens=100
        )
        return http_response(200, completion)

    prices = ["--prices", '{"input": 1, "output": 10}']  # so that a reply costs $0.002
    play = ["run", "--benchmark", "folder:tasks", "--model", "m", "--name", "parent"]
    fork = ["fork", "parent", "--trial", "fee", "--step", "2", "--repeats", "3"]
    with phonebook_endpoint(tmp_path, respond_in_two_steps) as endpoint:
        assert endpoint.command(*play, *prices).code == 0
        forked = endpoint.command(*fork, "--run-cost", run_cost, "--json")

    assert forked.code == code
    assert forked.json["cost_usd"] == pytest.approx(cost_usd)
    assert forked.json["mean_score"] == 1.0
