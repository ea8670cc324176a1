#if PostgreSQL
    extension Migration {
        /// Version 5: running counts, by which lists of a period find the reports of each leak.
        static let schema5 = Migration(
            version: 5,
            statements: RunningCounts.all.flatMap { [$0.creation] + $0.rebuild })
    }
#endif
