//! The shapes of keys: `user:<int>:profile`.
