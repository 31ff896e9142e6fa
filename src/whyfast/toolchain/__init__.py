"""Where compilers come from, one file a provider. docs/toolchains.md is the user's page."""
