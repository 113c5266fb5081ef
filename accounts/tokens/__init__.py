"""Tokens with which a program uses the API in a person's name, each with a scope.

Begin with `scopes`, the rules of what a token may do, and `authentication`, which applies them to
every view of the API. `services` creates and revokes tokens. Only `authentication` and `openapi`
import the REST framework.
"""
