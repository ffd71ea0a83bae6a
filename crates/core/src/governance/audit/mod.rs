//! What one walk over the keyspace finds.
