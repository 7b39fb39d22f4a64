"""The version of the package."""

__all__ = ["__version__"]

__version__ = "1.0.0rc1"
