"""The figures of the experiments, drawn from their result files; `every` lists them."""
