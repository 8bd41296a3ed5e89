"""A document on the folder of a record is shown in the first message if the request names the record.

"Show me cart-1." names `/data/carts/cart-1.json`, and a document names the folder `/data/carts`.
"""

from tests.agent.loop.initial_prompt.opened_trial import OpenedTrial
from tests.agent.loop.initial_prompt.prompt_shop import Shop


def test_a_document_on_the_folder_of_the_named_record_is_shown() -> None:
    """The request names cart-1, a record in `/data/carts`. One document names this folder. The
    other one only shares words with the request."""
    files = {
        "/RULES.md": "What no document tells is not done here.\n",
        "/data/carts/cart-1.json": '{"id": "cart-1"}\n',
        "/docs/looking-up.md": "One file each, below `/data/carts`.",
        "/docs/showing.md": "To show a thing, count what is in it.",
    }

    trial = OpenedTrial("Show me cart-1.", Shop(files=files))

    chosen_files = {file.path: file for file in trial.files}
    assert "folder" in chosen_files["/docs/looking-up.md"].reason
    assert chosen_files["/docs/looking-up.md"].chars > 0
    assert "/docs/showing.md" not in chosen_files
