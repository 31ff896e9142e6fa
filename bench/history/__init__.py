"""How often ``whyfast history`` is right: on noise, on known changes, and on labelled series."""
