"""The Python API: thin functions over the data and stats layers, re-exported by the package."""
