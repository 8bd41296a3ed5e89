"""Units of stock: conditions, counts and tables."""

from toolkit.stock.stock_conditions import StockMatch, asked_predicate, cited_records, qualifies, quote_table
from toolkit.stock.stock_fields import CountFields, DeliveryFields, count_fields, delivery_fields
from toolkit.stock.stock_units import StockUnits

__all__ = [
    "CountFields",
    "DeliveryFields",
    "StockMatch",
    "StockUnits",
    "asked_predicate",
    "cited_records",
    "count_fields",
    "delivery_fields",
    "qualifies",
    "quote_table",
]
