"""Reading all files with such a name in one call: `harness.read_many(files="*.txt")`.

The result is limited in size. `next` says with which file the next call goes on (0 if there is
none), and `cut` names the files of which only the beginning is returned.
"""

from pathlib import Path

from tests.benchmarks.files.opened_files import environment_of


def test_thousands_of_small_files_are_read_in_one_call(tmp_path: Path) -> None:
    """Each has its text: `{"files": [{"path": "/t0000.txt", "text": ...}, ...]}`."""
    texts: dict[str, str] = {}
    for number in range(2_000):
        name = f"t{number:04}.txt"
        texts[f"/{name}"] = f"Ticket {number}\n{'x' * 100}\n"
        (tmp_path / name).write_text(texts[f"/{name}"])

    result = environment_of(tmp_path).call("read_many", {"files": "*.txt"})

    assert {file["path"]: file["text"] for file in result["files"]} == texts
    assert result["total"] == len(texts)
    assert result["next"] == 0


def test_files_that_do_not_fit_into_one_result_are_read_in_a_second_call(
    tmp_path: Path,
) -> None:
    """The files b and c do not fit into one result, so the first one ends after b."""
    half_a_result = "y" * 500_000
    (tmp_path / "a.txt").write_text("short")
    (tmp_path / "b.txt").write_text(half_a_result)
    (tmp_path / "c.txt").write_text(half_a_result)
    (tmp_path / "d.txt").write_text("short")
    environment = environment_of(tmp_path)

    first = environment.call("read_many", {"files": "*.txt"})
    second = environment.call("read_many", {"files": "*.txt", "start": first["next"]})

    assert [file["path"] for file in first["files"]] == ["/a.txt", "/b.txt"]
    assert [file["path"] for file in second["files"]] == ["/c.txt", "/d.txt"]
    assert second["next"] == 0


def test_file_that_is_longer_than_one_result_of_read_many_is_named_as_cut(
    tmp_path: Path,
) -> None:
    """No further call would return the rest of the long file, so `next` is 0: `read` has to.

    The short file is complete.
    """
    longer_than_one_result = "x\n" * 350_000 + "THE END"
    (tmp_path / "a.txt").write_text(longer_than_one_result)
    (tmp_path / "b.txt").write_text("short")
    environment = environment_of(tmp_path)

    both_files = environment.call("read_many", {"files": "*.txt"})
    short_file = environment.call("read_many", {"files": "b.txt"})

    assert both_files["truncated"] is True
    assert both_files["cut"] == ["/a.txt"]
    assert both_files["next"] == 0
    assert short_file["truncated"] is False
    assert short_file["cut"] == []
