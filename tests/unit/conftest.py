"""Settings of all unit tests."""

from hypothesis import settings

# The same examples in every run, and none too slow: a busy machine must not fail a test.
settings.register_profile("whyfast", deadline=None, derandomize=True)
settings.load_profile("whyfast")
