"""Language models that digest a conversation, over plain HTTP and without their vendors' SDKs."""
