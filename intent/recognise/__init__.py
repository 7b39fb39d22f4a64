"""Arrays to intent: recognisers, goodness of fit, honest labels, ceilings, storage."""
