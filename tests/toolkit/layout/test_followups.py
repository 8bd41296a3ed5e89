from toolkit.layout import followup_helps, followup_reads

TREE = {
    "name": "/",
    "children": [
        {"name": "RULES.MD"},
        {"name": "bin", "children": [{"name": "date"}, {"name": "notes.txt"}]},
        {"name": "docs", "children": [{"name": "a.md"}, {"name": "empty", "is_dir": True}]},
    ],
}


def test_documents_are_read_once_in_the_order_of_the_listing():
    assert followup_reads(TREE, "/") == ["/RULES.MD", "/docs/a.md"]
    assert followup_reads(TREE, "/", opened=["/RULES.MD"]) == ["/docs/a.md"]


def test_help_is_asked_of_declared_tools_or_of_what_looks_like_one():
    assert followup_helps(TREE, "/") == ["/bin/date"]
    assert followup_helps(TREE, "/", helped=["/bin/date"]) == []
    assert followup_helps(TREE, "/", tools=["/bin/notes.txt"]) == ["/bin/notes.txt"]
