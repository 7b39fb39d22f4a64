"""The asynchronous driver: concurrency, limits, retries, the durable run store, resuming."""
