"""The running network: value, tangent, adjoint, Hessian-vector product, Taylor coefficients."""
