"""What stands in place of standard-library parts that reach attributes or are not deterministic."""
