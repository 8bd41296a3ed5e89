"""One trial on the platform: its files, its tools, its clock."""
