"""Study to builds: what goes in, running the steps, provenance."""
