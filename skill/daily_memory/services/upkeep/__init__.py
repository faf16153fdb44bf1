"""Keep a memory in order: doctor, archive, review, summary, mirror."""
