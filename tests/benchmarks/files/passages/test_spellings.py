"""Words that a question spells otherwise than the text, or that no spaces part.

`harness.passages(question)` returns the paragraphs that match best. One file has the answer, and
five others have nothing of the kind.
"""

from pathlib import Path

import pytest

from controlplane.benchmarks.files.files_benchmark import find_sources
from controlplane.sandbox import ForkServer
from tests.benchmarks.files.opened_files import environment_with_worker, write_files


@pytest.mark.parametrize(
    ("text", "question"),
    [
        pytest.param(
            "El café de Müller abre a las ocho.",
            "When does Cafe\u0301 Mu\u0308ller open?",
            id="accents as characters of their own in the question",
        ),
        pytest.param(
            "El cafe\u0301 de Mu\u0308ller abre a las ocho.",
            "When does Café MÜLLER open?",
            id="accents as characters of their own in the text",
        ),
        pytest.param(
            "The code is ＲＯＯＭ－１２.",
            "Which code has room-12?",
            id="wide letters",
        ),
        pytest.param("北京办公室的钥匙由王芳保管。", "谁保管钥匙？", id="Chinese"),
        pytest.param("東京の鍵は二階にあります。", "鍵はどこですか", id="Japanese"),
        pytest.param("กุญแจอยู่ที่ชั้นสอง", "กุญแจอยู่ที่ไหน", id="Thai"),
    ],
)
def test_words_are_found_in_every_script(
    text: str, question: str, fork_server: ForkServer, tmp_path: Path
) -> None:
    write_files(tmp_path, {"answer.txt": f"Preface.\n\n{text}\n"})
    for number in range(5):
        write_files(tmp_path, {f"other-{number}.txt": "Nothing of the kind.\n"})

    with environment_with_worker(fork_server, find_sources(tmp_path)) as environment:
        result = environment.call("passages", {"words": question, "limit": 3})

    best_match, *_ = result["matches"]
    assert best_match["path"] == "/answer.txt"
