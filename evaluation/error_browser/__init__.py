"""The errors of a system: which documents it ranks wrongly, and tags that say why."""
