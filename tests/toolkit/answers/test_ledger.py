from toolkit.answers import BucketRule, Completion, Entry, Ledger

COMPLETION = Completion("count", "3", ("/docs/a.md",), ("/p/old", "/s/one"))


def kind_of(path):
    return {"p": "product", "s": "shop"}[path[1]]


def apply(rule, *entries, text=""):
    return Ledger(entries).apply(COMPLETION, [rule], text, kind_of)


def test_entries_of_one_bucket_add_up_and_the_last_message_stands():
    ledger = Ledger([Entry("x", ("/a", "/b"), "one"), Entry("x", ("/b", "/c"), "two"), Entry("x")])
    assert (ledger.bucket("x").refs, ledger.bucket("x").message) == (("/a", "/b", "/c"), "two")


def test_computed_records_take_the_place_of_their_kind():
    found = apply(BucketRule("x", replaces=frozenset({"product"})), Entry("x", ("/p/new",)))
    assert found.records == ("/s/one", "/p/new")


def test_a_kind_that_was_not_computed_stays():
    found = apply(BucketRule("x", replaces=frozenset({"product", "shop"})), Entry("x", ("/p/new",)))
    assert "/s/one" in found.records


def test_a_rule_for_other_answers_changes_nothing():
    assert apply(BucketRule("x", frozenset({"refund"})), Entry("x", ("/p/new",), "9")) == COMPLETION


def test_a_message_is_given_where_the_request_asks_for_it():
    rule = BucketRule("x", gives_message=lambda text: "total" in text)
    assert apply(rule, Entry("x", message="9"), text="the total").message == "9"
    assert apply(rule, Entry("x", message="9")).message == "3"


def test_documents_are_added_or_cleared():
    assert apply(BucketRule("x", are_documents=True), Entry("x", ("/docs/b.md",))).documents == (
        "/docs/a.md",
        "/docs/b.md",
    )
    assert apply(BucketRule("x", clears_documents=True), Entry("x", ("/p/new",))).documents == ()
