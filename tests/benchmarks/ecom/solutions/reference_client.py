"""A client of a shop that returns an answer after it has made the calls for it.

    client = ReferenceClient(environment, names)
    client.run("checkout", "basket-0012")
    client.answer(truth, "Done.").citations  # {"/docs/checkout.md": "How baskets are bought: ..."}

An answer has to cite files, and only files that were read may be cited. So the client reads
those that are missing.
"""

from controlplane.benchmarks.ecom.tasks.truth import Truth
from tests.benchmarks.ecom.solutions.answers import Answer
from tests.benchmarks.ecom.solutions.shop_client import ShopClient


def required_citations(truth: Truth) -> list[str]:
    """Return the paths that an answer must cite: records, other files and pages."""
    return [*truth.must_cite, *truth.must_cite_pages]


class ReferenceClient(ShopClient):
    """A client that returns answers: with the required citations, and the changes that it made.

    In a dry run, its answer claims changes that were not made: a mistake that the grader must find.
    """

    def read_cited(self, truth: Truth) -> None:
        """Read the files that the answer must cite, unless they were read or changed before.

        Only files that a script has read may be cited.
        """
        changed_paths = [path for path, _ in self.changes]
        for path in required_citations(truth):
            if path not in self.beginnings and path not in changed_paths:
                self.read(path)

    def answer(self, truth: Truth, message: str, *, outcome: str = "") -> Answer:
        """Return an answer with this message and all required citations.

        The outcome is the right one by default.
        """
        self.read_cited(truth)
        citations = {}
        for path in required_citations(truth):
            citations[path] = self.beginnings.get(path, path)
        return Answer(
            message=message,
            outcome=outcome or truth.outcome,
            citations=citations,
            tokens=(message,) if truth.is_exact else truth.required_words,
            changes=tuple(self.changes),
        )
