"""Studies of many recognisers under many conditions: planned, cached, resumed, summarised."""
