"""The products of a shop: found by code or name, and read from their records when needed.

A record such as `{"sku": "VH-TRP-3", "title": "Lea tarp", "cents": 1990}` becomes a `Product`,
whatever its fields are called: their names are learned from samples.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

from controlplane.benchmarks.shop.certain_values import require
from controlplane.benchmarks.shop.products.product import Product
from controlplane.benchmarks.shop.products.product_form import (
    ProductForm,
    StocklessMark,
    certain_product_fields,
    stockless_mark_in,
)
from controlplane.benchmarks.shop.workspace.field_shapes import Data
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.record_ids import folded_id, id_of
from controlplane.benchmarks.shop.workspace.records.record_groups import RecordGroup
from controlplane.benchmarks.shop.workspace.word_search import field_pattern
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout
from controlplane.gates.paths import record_id
from controlplane.sandbox.functions import CannotRead


class Catalogue:
    """The products of a shop. All functions that work on one shop share it (`catalogue_of`).

    A product's code is the name of its file: `VH-TRP-3` of `/proc/products/VH-TRP-3.json`.
    """

    def __init__(self, layout: ShopLayout) -> None:
        self._layout = layout

    @cached_property
    def group(self) -> RecordGroup:
        """The group of the product records."""
        return self._layout.kinds.group(Kind.PRODUCT)

    @cached_property
    def codes(self) -> dict[str, str]:
        """The path of each product by its code."""
        return {record_id(path): path for path in self.group.paths}

    @cached_property
    def stockless_mark(self) -> StocklessMark | None:
        """The mark of products that need no stock; None if no policy describes one."""
        checkout_policy = self._layout.policies.text_of("checkout")
        sample = self._layout.kinds.samples(Kind.PRODUCT)[0]
        return stockless_mark_in(checkout_policy, sample)

    @cached_property
    def form(self) -> ProductForm:
        """How records describe products. Raises `CannotRead` if it is not certain."""
        samples = self._layout.kinds.samples(Kind.PRODUCT)
        marked = self._layout.documents.marked
        fields = certain_product_fields(samples, self.codes, marked)
        return ProductForm(fields, self.stockless_mark)

    def read(self, paths: Iterable[str]) -> list[Product]:
        """Return the products at these paths, in the same order."""
        records = self._layout.raw_records.read(paths)
        return [self.form.product(record) for record in records]

    def data_of(self, codes: Iterable[str]) -> list[Data]:
        """Return the data of the records with these codes, in the same order.

        The codes must be spelled as in `codes`. Raises `KeyError` for any other.
        """
        paths = [self.codes[code] for code in codes]
        return list(self._layout.record_files.data_of(paths).values())

    def lines_with(self, pattern: str) -> Sequence[tuple[str, str]]:
        """Return the path and text of each line that a pattern matches, in records of products.

        The environment searches the files, so no record is read.
        """
        return self._layout.reader.search(pattern, self.group.root)

    def with_codes(self, codes: Iterable[str]) -> list[Product]:
        """Return the products with these codes or paths, each once, in the same order.

        Case and separators do not matter: `vh_trp 3` is `VH-TRP-3`. So codes are compared
        in a folded form, `vhtrp3`. Raises `CannotRead`, with the closest codes, if a
        product does not exist.
        """
        # A path ends with a code: `id_of` takes it out.
        wanted = list(dict.fromkeys(id_of(code) for code in codes))
        path_by_id = self._path_by_folded_id
        missing = [code for code in wanted if folded_id(code) not in path_by_id]
        if missing:
            closest = self._layout.files.closest(missing[0])
            msg = f"no product is called {', '.join(missing)}; closest: {closest}"
            raise CannotRead(msg)
        return self.read(path_by_id[folded_id(code)] for code in wanted)

    @cached_property
    def _path_by_folded_id(self) -> dict[str, str]:
        """The path of each product by its code in folded form."""
        return {folded_id(code): path for code, path in self.codes.items()}


@lru_cache(maxsize=2)
def catalogue_of(layout: ShopLayout) -> Catalogue:
    """Return the catalogue of a shop. It is shared, so that no product is read twice."""
    return Catalogue(layout)


def products_named(catalogue: Catalogue, names: Sequence[str]) -> list[Product]:
    """Return the product with each name. Case does not matter.

    Raises `CannotRead` if a name belongs to no product, or to several.
    """
    paths_by_name = _paths_by_folded_name(catalogue)
    paths: list[str] = []
    for name in names:
        paths_of_name = paths_by_name.get(_folded_name(name), set())
        require(len(paths_of_name) == 1, f"no single product is called {name!r}")
        paths += paths_of_name
    return catalogue.read(paths)


@lru_cache(maxsize=2)
def _paths_by_folded_name(catalogue: Catalogue) -> dict[str, set[str]]:
    """Return the paths of products by their names, in small letters with single blanks.

    One search finds the lines with the names, such as `  "name": "Lea tarp",`.
    """
    paths: dict[str, set[str]] = {}
    name_field = catalogue.form.fields.name
    for path, line in catalogue.lines_with(field_pattern(name_field)):
        _, _, json_text = line.partition(":")
        name = json_text.strip(' ,"')
        paths.setdefault(_folded_name(name), set()).add(path)
    return paths


def _folded_name(name: str) -> str:
    """Return a name in small letters with single blanks."""
    return " ".join(name.casefold().split())
