"""Files of other tools, in and out: one file a format."""
