"""A run of 100 trials whose model replies in each known form in turn: no turn is lost to form."""

import itertools
import json
import socket
import threading
from pathlib import Path

from tests.support.command import inside
from tests.support.endpoints import Asked, model_server, response
from tests.support.forked_command import ROOT

CODE = """scratchpad["answer"], scratchpad["outcome"] = harness.lookup("ada").number, "OUTCOME_OK"
def verify(sp):
    return sp["answer"] != ""
harness.answer(scratchpad, verify)
"""
ACTION = {"state": "answer", "plan": [], "done": True, "code": CODE}
NOW = json.dumps(ACTION)
LATER = json.dumps({**ACTION, "code": "print('a thought, which is never run')"})


def said(content: object, **more: object) -> dict[str, object]:
    return {"role": "assistant", "content": content, **more}


def called(name: str | None, arguments: object, content: object = None) -> dict[str, object]:
    function = {"name": name, "arguments": arguments}
    return said(content, tool_calls=[{"id": "c", "type": "function", "function": function}])


PARAMETERS = f"<parameter=state>\nanswer\n</parameter>\n<parameter=code>\n{CODE}</parameter>"
FORMS = [
    said(NOW),
    said(f"```json\n{NOW}\n```"),
    said(f"I look it up.\n```python\n{CODE}```"),
    said(f"Thought: I look it up.\n<code>\n{CODE}</code>"),
    said(f"<tool_call>\n<function=execute_script>\n{PARAMETERS}\n</function>\n</tool_call>"),
    said(f'<tool_call>\n{{"name": "execute_script", "arguments": {NOW}}}\n</tool_call>'),
    said(f"<think>perhaps {LATER}</think>{NOW}"),
    said(f"perhaps {LATER}\n</think>\n{NOW}"),
    said(f"<|channel>thought\nperhaps {LATER}\n<channel|>{NOW}"),
    said(f"<|channel|>analysis<|message|>{LATER}<|end|><|start|>assistant<|channel|>final<|message|>{NOW}"),
    said(f"analysisPerhaps {LATER}.assistantfinal{NOW}"),
    said(f"<analysis>{LATER}</analysis>{NOW}"),
    said(f"{NOW}<|end|>"),
    said(f"{NOW}<|im_end|>"),
    said(None, reasoning_content=NOW),
    said("", reasoning=f"```json\n{NOW}\n```"),
    called("execute_script", NOW),
    called("execute_script", ACTION),
    called("functions.execute_script", NOW),
    called("execute_script<|channel|>json", NOW),
    called(None, NOW),
    called("execute_script", "", NOW),
    called("execute_script", None, f"```python\n{CODE}```"),
    said(None, function_call={"name": "execute_script", "arguments": NOW}),
    said(ACTION),
]


def test_no_turn_of_100_trials_is_lost_to_the_form_of_a_reply(tmp_path: Path) -> None:
    lock, turn = threading.Lock(), itertools.cycle(FORMS)

    def reply(asked: Asked, connection: socket.socket) -> bytes:
        with lock:
            message = next(turn)
        return response(200, json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}))

    with model_server(reply) as server:
        words = ("run", "ada", "--benchmark", "tests.support.phonebook", "--repeats", "100", "--model", "m", "--json")
        run = inside(*words, "--runs-dir", tmp_path, cwd=ROOT, OPENAI_BASE_URL=server.url)
        assert len(server.asked) == 100
    assert run.code == 0, run.err
    trials = run.json["trials"]
    assert [trial["trial_id"] for trial in trials if (trial["score"], trial["steps"]) != (1.0, 1)] == []
    assert len(trials) == 100
