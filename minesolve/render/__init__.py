"""Pictures of positions and minefields: what to draw (`picture`), and how (`terminal`, `svg`, `png`)."""
