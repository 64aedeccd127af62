"""Pictures of the image questions: what the KG states, resolving, fetching, licences, the store."""
