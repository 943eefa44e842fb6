"""Small networks written out, entry by entry."""
