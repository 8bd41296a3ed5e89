"""The first messages to a model: the system prompt, and the user's request with files that fit it.

`trial.message` shows the files and, at its end, the request (`trial.instruction`).
"""

from controlplane.agent.loop import LoopSettings
from controlplane.sandbox.interface import FILE_OPERATIONS, InitialCall, ToolSchema
from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.prompt_shop import Shop


def test_a_first_message_is_shortened_to_the_context_of_the_model() -> None:
    """A token is counted as 2.5 characters, so a context of 3,000 tokens has room for 7,500. The two
    documents have 6,500 characters each."""
    files = {
        "/RULES.md": "Carts: /docs/carts.md, checks: /docs/checks.md\n",
        "/docs/carts.md": "Check a cart\n" * 500,
        "/docs/checks.md": "Check it out\n" * 500,
    }

    whole = OpenedTrial(
        "Check out the cart.",
        Shop(files=files),
        settings=LoopSettings(context_tokens=None),
    )
    short = OpenedTrial(
        "Check out the cart.",
        Shop(files=files),
        settings=LoopSettings(context_tokens=3_000),
    )

    assert whole.shortened_for == 0
    assert len(whole.system_prompt + whole.message) > 7_500
    assert short.shortened_for == 3_000
    assert len(short.system_prompt + short.message) < 7_500
    assert short.instruction == whole.instruction


def test_a_first_message_that_fits_the_context_is_not_shortened() -> None:
    files = {"/RULES.md": "Carts.\n"}
    settings = LoopSettings(context_tokens=100_000)

    trial = OpenedTrial("Check out the cart.", Shop(files=files), settings=settings)

    assert trial.shortened_for == 0


def test_a_request_that_looks_like_a_hole_of_a_prompt_is_shown_as_it_is() -> None:
    """The product replaces `{{instruction}}` in its own prompts, and not in the request."""
    trial = OpenedTrial("Do {{it}}, {{instruction}}.", Shop(files={"/RULES.md": "x"}))

    assert "Do {{it}}, {{instruction}}." in trial.instruction


def test_a_model_that_replies_in_fences_is_not_told_of_json() -> None:
    """Some models write scripts better in a fence of Markdown than in a JSON object."""
    files = {"/RULES.md": "Carts.\n"}
    settings = LoopSettings(replies_in_fences=True)

    trial = OpenedTrial("Check out the cart.", Shop(files=files), settings=settings)

    start_of_example = "```python\nlate = []\n"
    assert start_of_example in trial.system_prompt
    assert "JSON object" not in trial.system_prompt


def test_a_file_of_which_a_part_is_shown_is_shown_once() -> None:
    """Some initial calls are made at once, and others when the paths of all files are known. This
    one must not be made in both rounds."""
    read_second_line = InitialCall("read", {"path": "/docs/carts.md", "start_line": 2})
    schema = ToolSchema(operations=FILE_OPERATIONS, initial_calls=(read_second_line,))

    trial = OpenedTrial("Check out cart-1.", Shop(schema))

    assert trial.message.count('<section title="read /docs/carts.md">') == 1
