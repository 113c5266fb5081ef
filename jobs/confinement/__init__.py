"""Imports of uploaded files run in a child process with limits. ADR 39 has the reasons.

Begin with `parent`: what a worker does. `child` is the program that it starts. `memory` has the
limit that the child and the commands `import_…` share.
"""
