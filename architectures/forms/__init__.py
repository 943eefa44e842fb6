"""Forms of the exact side as plain data, which the array side contracts: index terms, cores, where H_R has its blocks.

They stand beside the language because neither side sees the other: `symbolic` finds them, `numeric` evaluates them.
"""
