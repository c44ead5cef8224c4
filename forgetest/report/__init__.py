"""From journal records to the report: types, aggregates, reading and writing."""
