"""What the tools in `/bin` of the embedded shop do, and how they print it."""
