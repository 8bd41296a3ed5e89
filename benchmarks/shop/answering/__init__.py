"""Parts of answers about a shop: drafts, findings of functions, policies and references."""
