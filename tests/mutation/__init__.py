"""Changes drawn at random in the project's own source, and which of them a verdict notices."""
