"""A value that the schema of a tool lists for its argument counts as data in a call of the tool.

`turn(mode="START")`, where the tool lists START and STOP, is harmless, also if a page says START: the
script may have it from the schema. Other values of a page, which anybody may have written, are not.
"""

from controlplane.agent.evidence.origins.argument_lookup import find_origins
from controlplane.agent.evidence.origins.texts import Origin
from controlplane.agent.evidence.origins.values import keys_of_all
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial


def test_a_value_that_the_tool_lists_for_its_argument_is_data() -> None:
    page = "Turn it with START, and wait until all of the lights are green again."
    texts = TextsOfTrial()
    texts.add_running_text("/page", page)
    harmless_keys = {"mode": set(keys_of_all(["START", "STOP"]))}

    origins = find_origins(texts.provenance, {"mode": "START"}, harmless_keys)

    assert origins["mode"].origin is Origin.RECORD


def test_a_value_that_no_tool_lists_is_of_the_page() -> None:
    page = "Turn it with START, and wait until all of the lights are green again."
    texts = TextsOfTrial()
    texts.add_running_text("/page", page)

    assert texts.origin_of("START") is Origin.PROSE
