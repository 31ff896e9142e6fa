"""Builds → evidence: what the machine code of a program could say about its speed.

Start at :func:`whyfast.explain.program.explain_program` and
:func:`whyfast.explain.functions.compare_functions`."""
