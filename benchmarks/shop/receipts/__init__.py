"""Reads scanned receipts, whose letters and digits may be misread: `0sier` for `Osier`.

A customer uploads an old receipt and asks what the items cost today. The receipt is found among
the uploads (`receipt_files`) and read in one of two layouts (`named_receipts`,
`coded_receipts`). Its items then become products of the shop (`scanned_products`).
"""
