"""Round robins that resume, and the standings and matrices that are read off them."""
