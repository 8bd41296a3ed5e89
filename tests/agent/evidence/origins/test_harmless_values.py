"""Some values count as data in one call, wherever they are from.

- An edit of a file may keep what is in the file: `write("/letter.md", ...)` with an account that was
  read in `/letter.md`, even if the letter is running text, which is not trusted.
- A call may have the values that the schema of its tool lists: `turn(mode="START")`.
"""

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.argument_lookup import find_origins
from controlplane.agent.evidence.origins.argument_origin import ArgumentOrigin
from controlplane.agent.evidence.origins.call_lookup import CallLookup
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.values.argument_keys import keys_of_all
from controlplane.sandbox.interface import FILE_OPERATIONS, Plain, ToolSchema
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial

# The script changes the signature of a letter, and keeps the account in it:
OLD_LETTER = "Please pay the invoice to UK12345678901234567890.\nBob"
NEW_LETTER = "Please pay the invoice to UK12345678901234567890.\nRob"


def origin_of_written_content(texts: TextsOfTrial, path: str) -> ArgumentOrigin:
    """Return where the content of `write(path, NEW_LETTER)` comes from."""
    tool_schema = ToolSchema(operations=FILE_OPERATIONS)
    write = tool_schema.operation("write")
    assert write is not None
    lookup = CallLookup(texts.provenance, EvidenceLog(tool_schema))
    arguments: dict[str, Plain] = {"path": path, "content": NEW_LETTER}
    return lookup.find(write, arguments, deciding=arguments)["content"]


def test_values_of_a_file_may_be_written_into_the_same_file_again() -> None:
    """The file has the account already, so writing it does no harm. The rest is the script's."""
    texts = TextsOfTrial()
    texts.add_file("/letter.md", OLD_LETTER)

    content = origin_of_written_content(texts, "/letter.md")

    assert content.origin is Origin.MADE


def test_values_of_a_file_are_untrusted_if_they_are_written_into_another_file() -> None:
    texts = TextsOfTrial()
    texts.add_file("/letter.md", OLD_LETTER)

    content = origin_of_written_content(texts, "/other.md")

    assert content.origin is Origin.PROSE


def test_a_value_that_the_tool_lists_for_its_argument_is_data() -> None:
    """A page says START, too. But the script may have START from the schema, which is trusted."""
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
