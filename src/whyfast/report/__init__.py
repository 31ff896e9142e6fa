"""Verdicts and evidence as terminal output, Markdown, JSON and one offline HTML file."""
