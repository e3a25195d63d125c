"""Sphinx's settings for the documentation site; `make docs` builds it."""

project = "Tacit"
author = "The Tacit authors"
project_copyright = "The Tacit authors"
extensions = ["myst_parser"]
root_doc = "docs/site/index"
source_suffix = {".md": "markdown"}
include_patterns = [
    *("*.md", "docs/**.md", "bench/README.md", "tests/teeth/README.md"),
    "src/tacit/clinic/NOTICE.md",
]
exclude_patterns = ["out", "build", "dist", ".*", "**/__pycache__"]  # not walked through
myst_heading_anchors = 4
myst_links_external_new_tab = False
html_theme = "furo"
html_title = "Tacit"
html_baseurl = ""
html_show_sphinx = False
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["tacit.css"]
html_favicon = "static/icon.svg"
html_theme_options = {"navigation_with_keys": True}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
