"""Blocks that exist as modules: a torch graph or a jaxpr is read into an expression of the language.

A reader (`jaxprs`, `torch_graphs`) is a walk over a program on arrays and a table from its operations to those of
`primitives`, where an array is an expression and, for each of its axes, the axes of the expression that it is.
`rules` recognise softmax, normalisations and activations in what the expressions are made of, `leaves` make weights
of parameters. Nothing is believed of a reading before value, gradient and Hessian-vector product of both have been
compared at random weights.
"""
