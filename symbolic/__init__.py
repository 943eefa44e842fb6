"""The exact side: index-notation series, sparse jets, exact matrices. No NumPy in here."""
