"""The whole way from a study to a result; used by the command line and as a library."""
