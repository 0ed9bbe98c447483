"""Config to count tables, computed where the rows live."""
