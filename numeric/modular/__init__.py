"""Exact arithmetic modulo a prime on the running network."""
