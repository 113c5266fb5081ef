"""The CSFCube release (Mysore et al., 2021): read and checked into frozen records."""
