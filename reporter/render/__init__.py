"""Report to Document to files. Never sees data."""
