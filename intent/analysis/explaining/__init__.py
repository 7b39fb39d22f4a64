"""What drives a metric: a forest, Shapley values, fit and stability."""
