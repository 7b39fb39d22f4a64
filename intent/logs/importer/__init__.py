"""The importer: what a foreign log is read as, and why; refused where it is not sure."""
