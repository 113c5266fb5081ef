"""Sentences, their numbers, languages: facts about texts. Pure."""
