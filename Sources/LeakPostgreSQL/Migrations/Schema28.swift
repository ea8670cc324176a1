#if PostgreSQL
    extension Migration {
        /// Version 28: the order of the first version of a leak after the version was evicted.
        static let schema28 = Migration(
            version: 28,
            statements: [
                // first_order: the order_key of the first release if it was evicted, so that first_release is the release 'other';
                // else null.
                "alter table leak add column if not exists first_order bytea"
            ])
    }
#endif
