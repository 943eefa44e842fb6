"""Blocks that exist as modules: a torch graph or a jaxpr is read into an expression of the language.

A reader (`jaxprs`, `torch_graphs`) walks a program on arrays and asks `arrays` for each operation. There an array is a
matrix, or a stack of them, of which it is known which axis is the row, which the column; `matrices` writes the matrices
as expressions and recognises softmax, normalisations and activations in what they are made of. Nothing is believed of
a reading before value, gradient and Hessian-vector product of both have been compared at random weights.
"""
