"""A quotation justifies a citation whose reason names nothing of the file.

The gates, which check answers, look for words of the reason in the file, and "steht dort oben" is German.
But the citation quotes the file: `cite("/note.txt", "steht dort oben", quote="the word is heron")`.
"""

from controlplane.sandbox import ForkServer
from tests.agent.loop.journal.note_script import step_on_note


def test_a_quotation_justifies_a_citation_whose_reason_names_nothing(
    server: ForkServer,
) -> None:
    step = step_on_note(
        server,
        """
harness.read("/note.txt")
scratchpad.cite("/note.txt", "steht dort oben", quote="the word is heron")
scratchpad["answer"] = "heron"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "heron")
""",
        note="the word is heron\n",
    )

    (judged,) = step.verdicts
    results = {verdict.name: verdict.result for verdict in judged.verdicts}
    assert results["citations are justified"] == "pass"
