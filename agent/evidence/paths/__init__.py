"""Which file a path means, and which texts calls saw there.

`/DOCS/loans.md` and `/Loans.md` may both reach the file that listings show as
`/docs/Loans.md`. An answer cites it by the listed path.
"""
