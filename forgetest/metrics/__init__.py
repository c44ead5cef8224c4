"""Public statistics: pure, exact functions, usable without the rest of forgetest."""
