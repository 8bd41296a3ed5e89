"""Requests that only a model can answer.

These facts are what recorded right answers of the public shop benchmark had in common. Our benchmark
imitates the public one, so they must hold for right answers to our tasks, too:

    MODEL_FACTS["open branches of a city"].outcome  # OK
    MODEL_FACTS["open branches of a city"].records  # ("stores",)
"""

from collections.abc import Mapping
from typing import Final

from controlplane.benchmarks.ecom.world.pages import (
    CROSSLIST,
    ORIGINS,
    SECURITY,
    VERIFICATION,
)
from controlplane.gates.submission import OK, UNSUPPORTED
from tests.benchmarks.ecom.recorded.facts.fact import Answerer, Fact

MODEL_FACTS: Final[Mapping[str, Fact]] = {
    "open branches of a city": Fact(
        variant="open-branches",
        outcome=OK,
        answerer=Answerer.MODEL,
        records=("stores",),
    ),
    "how the shop began": Fact(
        variant="origin-fact: recorded",
        outcome=OK,
        answerer=Answerer.MODEL,
        demanded_pages=(ORIGINS,),
    ),
    "crosslist of an uploaded request": Fact(
        variant="crosslist",
        outcome=OK,
        answerer=Answerer.MODEL,
        demanded_pages=(CROSSLIST,),
        records=("uploads",),
        message=r"/exports/[\w.-]+\.tsv",  # /exports/crosslist-12.tsv
    ),
    "fraudulent rows of an export": Fact(
        variant="archive-fraud",
        outcome=OK,
        answerer=Answerer.MODEL,
        records=("archive",),
        message=r"EUR \d+\.\d\d",  # EUR 612.40
    ),
    "verification too early": Fact(
        variant="verification-restart: too early",
        outcome=UNSUPPORTED,
        answerer=Answerer.MODEL,
        demanded_pages=(VERIFICATION,),
        optional_pages=(SECURITY,),
        records=("payments", "baskets"),
        message=r".*\d{4}-\d\d-\d\dT.*Z.*",  # ... 2027-03-01T08:00:00Z ...
    ),
    "verification with attempts used up or paid": Fact(
        variant="verification-restart: spent or paid",
        outcome=UNSUPPORTED,
        answerer=Answerer.MODEL,
        demanded_pages=(VERIFICATION,),
        optional_pages=(SECURITY,),
        records=("payments", "baskets"),
        message=r".*(\d|paid|PAID|[Ss]ettled).*",
    ),
}
"""The facts, each by a description of the request."""
