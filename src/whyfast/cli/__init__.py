"""The command line, one file a subcommand; each only parses, calls, and hands to report/."""
