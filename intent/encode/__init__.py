"""Log to arrays: state-action sequences, features, grouped splits."""
