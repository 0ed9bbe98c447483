"""Small cells: no count from 1 to k - 1 is shown, or follows from what is shown."""
