"""The array side, on NumPy or CuPy: value, tangent, adjoint, Taylor coefficients, exact arithmetic modulo a prime."""
