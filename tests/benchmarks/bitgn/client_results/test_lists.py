"""Replies of the platform (BitGN) with lists become the results of a script's calls.

The platform is a server that offers tasks to agents. A field that is empty or false is left out of
a reply: without any path, the reply to `find` is `{}`, and becomes
`{"paths": [], "truncated": False}`.
"""

from controlplane.benchmarks.bitgn.rpcs import RPCS


def test_no_path_that_is_found_becomes_an_empty_list() -> None:
    rpc = RPCS["find"]
    assert rpc is not None

    assert rpc.reply_from_wire({}) == {"paths": [], "truncated": False}


def test_paths_that_are_found_become_a_list() -> None:
    rpc = RPCS["find"]
    assert rpc is not None

    result = rpc.reply_from_wire({"paths": ["/docs/checkout.md"]})

    assert result == {"paths": ["/docs/checkout.md"], "truncated": False}


def test_a_line_that_is_found_has_its_text() -> None:
    rpc = RPCS["search"]
    assert rpc is not None
    match = {"path": "/docs/a.md", "line": 164, "lineText": "Store: Graz"}

    result = rpc.reply_from_wire({"matches": [match]})

    assert result == {
        "matches": [{"path": "/docs/a.md", "line": 164, "text": "Store: Graz"}],
        "truncated": False,
    }


def test_entries_of_a_folder_are_files_or_folders() -> None:
    rpc = RPCS["list"]
    assert rpc is not None
    entries = [
        {"name": "checkout.md", "kind": "NODE_KIND_FILE"},
        {"name": "payments", "kind": "NODE_KIND_DIR"},
    ]

    result = rpc.reply_from_wire({"entries": entries})

    assert result == {
        "entries": [
            {"name": "checkout.md", "path": "", "is_dir": False},
            {"name": "payments", "path": "", "is_dir": True},
        ]
    }
