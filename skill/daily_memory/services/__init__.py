"""What the product does: record, retrieve, maintain, transfer."""
