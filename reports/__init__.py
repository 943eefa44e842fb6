"""From results to Markdown, figures and JSON, and the command line."""
