"""Messages of models that endpoints were seen to send, all with the same action.

An action is a JSON object with a script in the field `code`. Models send it as text, in a fence, as a tool
call, or behind their thoughts: `{"role": "assistant", "content": "<think>perhaps ...</think>{...}"}`
"""

import json

SCRIPT = """scratchpad["answer"], scratchpad["outcome"] = harness.lookup("ada").number, "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] != "")
"""
ACTION = {"state": "answer", "plan": [], "done": True, "code": SCRIPT}
ACTION_JSON = json.dumps(ACTION)
THOUGHT_JSON = json.dumps({**ACTION, "code": "print('a thought, which is never run')"})
"""Another action, which the model only considers. It must not be run."""


def text_message(content: object, **fields: object) -> dict[str, object]:
    """Return a message of a model as an endpoint sends it, with further fields."""
    return {"role": "assistant", "content": content, **fields}


def call_message(
    name: str | None, arguments: object, content: object = None
) -> dict[str, object]:
    """Return a message of a model that calls a tool, as an endpoint sends it."""
    function = {"name": name, "arguments": arguments}
    call = {"id": "c", "type": "function", "function": function}
    return text_message(content, tool_calls=[call])


FORMS = [
    # Text: the JSON object alone, in a fence, or only the script
    text_message(ACTION_JSON),
    text_message(f"```json\n{ACTION_JSON}\n```"),
    text_message(f"I look it up.\n```python\n{SCRIPT}```"),
    text_message(f"Thought: I look it up.\n<code>\n{SCRIPT}</code>"),
    # A tool call, written as text
    text_message(
        f"<tool_call>\n<function=execute_script>\n<parameter=state>\nanswer\n</parameter>\n"
        f"<parameter=code>\n{SCRIPT}</parameter>\n</function>\n</tool_call>"
    ),
    text_message(
        f'<tool_call>\n{{"name": "execute_script", "arguments": {ACTION_JSON}}}\n</tool_call>'
    ),
    # Behind thoughts
    text_message(f"<think>perhaps {THOUGHT_JSON}</think>{ACTION_JSON}"),
    text_message(f"perhaps {THOUGHT_JSON}\n</think>\n{ACTION_JSON}"),
    text_message(f"<|channel>thought\nperhaps {THOUGHT_JSON}\n<channel|>{ACTION_JSON}"),
    text_message(
        f"<|channel|>analysis<|message|>{THOUGHT_JSON}<|end|>"
        f"<|start|>assistant<|channel|>final<|message|>{ACTION_JSON}"
    ),
    text_message(f"analysisPerhaps {THOUGHT_JSON}.assistantfinal{ACTION_JSON}"),
    text_message(f"<analysis>{THOUGHT_JSON}</analysis>{ACTION_JSON}"),
    # With a mark of the chat template at the end
    text_message(f"{ACTION_JSON}<|end|>"),
    text_message(f"{ACTION_JSON}<|im_end|>"),
    # In the field for thoughts
    text_message(None, reasoning_content=ACTION_JSON),
    text_message("", reasoning=f"```json\n{ACTION_JSON}\n```"),
    # A tool call, with variants of its name and arguments
    call_message("execute_script", ACTION_JSON),
    call_message("execute_script", ACTION),
    call_message("functions.execute_script", ACTION_JSON),
    call_message("execute_script<|channel|>json", ACTION_JSON),
    call_message(None, ACTION_JSON),
    call_message("execute_script", "", ACTION_JSON),
    call_message("execute_script", None, f"```python\n{SCRIPT}```"),
    text_message(
        None, function_call={"name": "execute_script", "arguments": ACTION_JSON}
    ),
    # The content is the object itself
    text_message(ACTION),
]
