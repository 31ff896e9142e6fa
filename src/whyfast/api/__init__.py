"""The library, as ``import whyfast`` shows it; reports for notebooks, a plug-in for pytest."""
