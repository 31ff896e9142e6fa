"""Where compilers come from, one file per provider. docs/toolchain.md is the user's page."""
