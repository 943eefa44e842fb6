"""The figures of the report, a file each: its data record, how it is measured, how it is drawn, what is said of it.

`every` lists them. Beside the files lie the figures that the report was shipped with.
"""
