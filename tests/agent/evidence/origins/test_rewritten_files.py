"""Values that are in a file already may be written into the same file again, wherever they are from.

The script changes the signature of a letter, and keeps the account in it. The letter is running text,
which is not trusted, but to write the account back does no harm.
"""

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.argument_lookup import ArgumentOrigin
from controlplane.agent.evidence.origins.call_origins import CallLookup
from controlplane.agent.evidence.origins.texts import Origin
from controlplane.sandbox.interface import FILE_OPERATIONS, Plain, ToolSchema
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial

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
