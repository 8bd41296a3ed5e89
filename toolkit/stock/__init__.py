"""Units of stock: conditions, counts and tables."""

from toolkit.stock.stock_conditions import StockMatch, asked_predicate, cited_records, qualifies, quote_table

__all__ = ["StockMatch", "asked_predicate", "cited_records", "qualifies", "quote_table"]
