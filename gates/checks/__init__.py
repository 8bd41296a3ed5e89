"""The eight gates, a module each, and the rules that two of them share."""
