"""YAML to Config: every key in one place, every problem with its file, line and column."""
