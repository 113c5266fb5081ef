"""What all pages share on which a person answers one thing after the other (ADR 48)."""
