"""HTML as Markdown, with every row of a table complete; `html_text` is the entry."""
