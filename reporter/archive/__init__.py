"""Report and files to a sealed record, and what is done with records."""
