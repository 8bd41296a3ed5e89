"""CSV and TSV files: their layout, and their rows."""
