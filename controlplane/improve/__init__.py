"""Improves texts that an agent works with: proposes changes on traces of failures, and proves them on unseen worlds."""
