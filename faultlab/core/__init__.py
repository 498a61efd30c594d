"""The pure core: records, knowledge, entitlement, contracts and the world. No socket, no clock reading, no database."""
