"""Grades that a judge's marked steps of a method suggest, shown after the judge's own grade.

`rule` gives the grade (pure), `lots` draws the queries of a study when they are opened, and `views`
is the page on which the judge keeps the own grade or gives another. Begin with
docs/adr/0070-mechanism-alignment.md.
"""
