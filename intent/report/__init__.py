"""Tables and figures; the only place that knows matplotlib."""
