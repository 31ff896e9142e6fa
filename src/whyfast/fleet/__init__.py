"""The same study on many machines."""
