"""Experiment tracking; the only place that knows MLflow."""
