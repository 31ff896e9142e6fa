"""Settings of Sphinx for the site; ``web.build`` calls it."""

from whyfast import __version__

project = "whyfast"
author = "the whyfast authors"
copyright = author
version = release = __version__
html_title = "whyfast"

extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "web/index"
include_patterns = [
    *("web/*.md", "docs/**.md", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"),
    *("studies/**.md", "subjects/**.md", "bench/**.md"),
]
source_suffix = {".md": "markdown"}
suppress_warnings = [
    "myst.header",  # a page may begin below the first level
    "toc.not_included",  # pages of subjects are reached by links
    "misc.highlighting_failure",
]
myst_heading_anchors = 6  # as GitHub names them
myst_enable_extensions = ["colon_fence"]
highlight_language = "text"
smartquotes = False  # two hyphens are an option

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"

html_theme = "furo"
html_theme_options: dict[str, object] = {"footer_icons": []}
html_show_sphinx = False
html_copy_source = False
