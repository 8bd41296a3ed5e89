"""Files as tables that SQL queries: rows read, columns typed, results returned."""
