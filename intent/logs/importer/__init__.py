"""Any log in: what holds a log becomes tables of cells, and a shape says which column is what."""
