"""What labels and metrics say: shares, means, intervals, tests."""
