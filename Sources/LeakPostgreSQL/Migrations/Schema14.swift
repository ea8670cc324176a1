#if PostgreSQL
    extension Migration {
        /// Version 14: indexes of the leaks that are slow and of those that are explained, so that lists of a version do
        /// not read the rows of all leaks.
        static let schema14 = Migration(
            version: 14,
            statements: [
                "create index if not exists leak_slow on leak (id) where freed >= 1 and freed * 10 >= reports * 9",
                """
                create index if not exists leak_explained on leak (id) include (retained_bytes, alive_at_most)
                where retained_bytes > 0
                """,
                "analyze leak",
            ])
    }
#endif
