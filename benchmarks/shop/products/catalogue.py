"""The products of a shop: found by code or name, and read from their records when needed.

A record such as `{"sku": "VH-TRP-3", "title": "Lea tarp", "cents": 1990}` becomes a `Product`,
whatever its fields are called: their names are learned from samples.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from controlplane.benchmarks.shop.certain_values import require
from controlplane.benchmarks.shop.products.product import Product
from controlplane.benchmarks.shop.texts.documents import marked_after
from controlplane.benchmarks.shop.workspace.field_shapes import Data
from controlplane.benchmarks.shop.workspace.fields.product_fields import (
    ProductFields,
    product_fields,
)
from controlplane.benchmarks.shop.workspace.identity import folded_id, id_of
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.records import RecordGroup, WorkspaceRecord
from controlplane.benchmarks.shop.workspace.word_search import field_pattern
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout
from controlplane.gates.paths import record_id
from controlplane.sandbox.functions import CannotRead

# How a shop's records describe products: in which fields, and how a download is marked.
#
# Shops choose the names of their fields. In `{"sku": "AB-1", "title": "Lea tarp", "cents": 1990,
# "fulfillment": "download"}`, the name is in `title`, and the last field says that this
# product needs no stock, because it is downloaded.


@dataclass(frozen=True, slots=True)
class _StocklessMark:
    """The field and value that mark products without stock, such as downloads."""

    key: str
    value: str

    def is_on(self, data: Data) -> bool:
        """Return True if a product's record has the mark."""
        return str(data.get(self.key)) == self.value


def _stockless_mark_in(policy: str, sample: Data) -> _StocklessMark | None:
    """Return the mark of products that need no stock; None if the policy describes none.

    "Products whose `fulfillment` is `download` need no stock." -> field `fulfillment`, value
    `download`. `sample` is the data of a product, which shows what its fields are called.
    """
    for key in sample:
        # The word in backticks after the field's name.
        value = marked_after(policy, key)
        if value:
            return _StocklessMark(key, value)
    return None


def _certain_product_fields(
    samples: Sequence[Data], codes: Collection[str], marked: frozenset[str]
) -> ProductFields:
    """Return the names of products' fields, learned from samples of their records.

    `codes` are the codes of all products, and `marked` the words that documents put in
    backticks, such as `price_cents`. Raises `CannotRead` if the field for the code, the
    name or the price is not certain.
    """
    fields = product_fields(samples, codes, marked)
    are_known = bool(fields.code and fields.name and fields.price)
    require(
        are_known,
        "it is not certain which fields of a product are its code, name and price",
    )
    return fields


@dataclass(frozen=True, slots=True)
class _ProductForm:
    """The fields of products, and the mark of those that need no stock."""

    fields: ProductFields
    stockless_mark: _StocklessMark | None

    def product(self, record: WorkspaceRecord) -> Product:
        """Return the product that a record describes."""
        data = record.data
        price = data.get(self.fields.price)
        properties = data.get(self.fields.properties)
        needs_stock = self.stockless_mark is None or not self.stockless_mark.is_on(data)
        return Product(
            path=record.path,
            code=str(data.get(self.fields.code, record.id)),
            name=str(data.get(self.fields.name, "")),
            brand=str(data.get(self.fields.brand, "")),
            price_cents=price if isinstance(price, int) else None,
            properties=properties if isinstance(properties, dict) else {},
            needs_stock=needs_stock,
        )


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
    def stockless_mark(self) -> _StocklessMark | None:
        """The mark of products that need no stock; None if no policy describes one."""
        checkout_policy = self._layout.policies.text_of("checkout")
        sample = self._layout.kinds.samples(Kind.PRODUCT)[0]
        return _stockless_mark_in(checkout_policy, sample)

    @cached_property
    def form(self) -> _ProductForm:
        """How records describe products. Raises `CannotRead` if it is not certain."""
        samples = self._layout.kinds.samples(Kind.PRODUCT)
        marked = self._layout.documents.marked
        fields = _certain_product_fields(samples, self.codes, marked)
        return _ProductForm(fields, self.stockless_mark)

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
